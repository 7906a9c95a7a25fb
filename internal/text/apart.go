package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	beforeApart = 30 // bytes that are shown before a difference
	leastApart  = 10 // bytes that are shown of it
)

// Apart returns texts cut to about n bytes each, so that any two that differ show where. Of very many the most alike do.
func Apart(list []string, n int) (out []string) {
	for i, s := range list {
		var at []int
		for k, o := range list {
			if k != i && o != s {
				at = append(at, CommonPrefix(s, o))
			}
		}
		slices.Sort(at)
		out = append(out, around(s, slices.Compact(at), n))
	}
	return out
}

// around returns the parts of s around some places.
func around(s string, at []int, n int) string {
	if len(s) <= n || len(at) == 0 {
		return Clip(s, n)
	}
	var b strings.Builder
	at = at[max(0, len(at)-max(1, n/(beforeApart+leastApart))):]
	width, end := max(n/len(at), beforeApart+leastApart), 0
	for _, p := range at {
		if p+leastApart <= end { // it is shown
			continue
		}
		from := max(end, p-beforeApart)
		if end == 0 && p+leastApart <= width {
			from = 0
		}
		for ; from > end && !utf8.RuneStart(s[from]); from-- {
		}
		if from > end {
			b.WriteString("…")
		}
		for end = min(from+width, len(s)); end < len(s) && !utf8.RuneStart(s[end]); end++ {
		}
		b.WriteString(s[from:end])
	}
	if end < len(s) {
		b.WriteString("…")
	}
	return b.String()
}

// CommonPrefix returns how many bytes a and b begin with in common, whole characters.
func CommonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) {
		r, size := utf8.DecodeRuneInString(a[n:])
		if q, _ := utf8.DecodeRuneInString(b[n:]); q != r {
			break
		}
		n += size
	}
	return n
}
