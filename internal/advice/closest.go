package advice

import (
	"fmt"
	"slices"
	"strings"
)

// DidYouMean returns the hint for a mistyped word, or none if no candidate is similar.
func DidYouMean(word string, candidates []string) []string {
	if c := closest(word, candidates); c != "" {
		return []string{fmt.Sprintf("did you mean %s?", c)}
	}
	return nil
}

// closest returns the candidate that word was most likely meant to be, or "" if none is close. A
// third of the word may differ, or one letter, ignoring case. It may also be the beginning, or
// one part, of a single candidate.
func closest(word string, candidates []string) string {
	word = bare(word)
	best, least := "", max(1, len(word)/3)+1
	var whole []string // candidates that contain the word
	for _, c := range candidates {
		low := bare(c)
		// Replacing all letters turns any word into any other.
		if d := edits(word, low); d < least && d < min(len(word), len(low)) {
			best, least = c, d
		}
		if len(word) >= minPart && (strings.HasPrefix(low, word) || slices.Contains(strings.Split(low, "-"), word)) {
			whole = append(whole, c)
		}
	}
	if best == "" && len(whole) == 1 {
		return whole[0]
	}
	return best
}

// bare returns a word without the dashes of a flag, in lower case.
func bare(word string) string { return strings.ToLower(strings.TrimLeft(word, "-")) }

// minPart is how long a word must be to count as a part of another.
const minPart = 3

// edits returns the number of bytes to insert, remove, replace or swap with their neighbour to
// turn a into b (optimal string alignment).
func edits(a, b string) int {
	var before, last []int // rows of the table for a[:i-1] and a[:i]
	for i := 0; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		for j := range row {
			switch {
			case i == 0 || j == 0:
				row[j] = i + j
			case a[i-1] == b[j-1]:
				row[j] = last[j-1]
			default:
				row[j] = 1 + min(last[j-1], last[j], row[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
