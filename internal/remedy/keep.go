package remedy

import (
	"bytes"
	"go/format"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// keep returns an edited and formatted text in which lines that the edit has not touched are as
// in the original. Otherwise a file that is not gofmt'd would change everywhere. It returns the
// edited text itself if the lines can't be determined.
func keep(original, edited []byte) []byte {
	formatted, err := format.Source(original)
	if err != nil || bytes.Equal(formatted, original) {
		return edited
	}
	lines := strings.SplitAfter(string(original), "\n")
	all := hunks(diff.Diff("a", formatted, "b", edited))
	for context := maxContext; context >= 0; context-- { // the surroundings may not be formatted like gofmt's
		text := patched(lines, all, context)
		if again, err := format.Source(text); text != nil && err == nil && bytes.Equal(again, edited) {
			return text
		}
	}
	return edited
}

// maxContext is how many lines around a change package diff writes.
const maxContext = 3

// patched returns lines with the changes of hunks applied, each found by the given number of
// lines around it, or nil if one is not found.
func patched(lines []string, all []hunk, context int) []byte {
	var out []string
	for _, h := range all {
		h = h.with(context)
		i := h.find(lines)
		if i < 0 {
			return nil
		}
		out, lines = append(out, lines[:i]...), lines[i:]
		for _, l := range h {
			switch l[0] {
			case ' ':
				out, lines = append(out, lines[0]), lines[1:]
			case '-':
				lines = lines[1:]
			case '+':
				out = append(out, l[1:])
			}
		}
	}
	return []byte(strings.Join(append(out, lines...), ""))
}

// A hunk is lines of a unified diff, with their first character.
type hunk []string

// hunks returns the hunks of a diff, as package diff writes it.
func hunks(text []byte) (list []hunk) {
	for _, l := range strings.SplitAfter(string(text), "\n") {
		switch {
		case strings.HasPrefix(l, "@@ "):
			list = append(list, nil)
		case len(list) > 0 && l != "" && strings.Contains(" -+", l[:1]):
			list[len(list)-1] = append(list[len(list)-1], l)
		}
	}
	return list
}

// with returns the hunk with at most n lines around its changes.
func (h hunk) with(n int) hunk {
	kept := func(l string) bool { return l[0] == ' ' }
	for len(h) > n && !slices.ContainsFunc(h[:n+1], func(l string) bool { return !kept(l) }) {
		h = h[1:]
	}
	for len(h) > n && !slices.ContainsFunc(h[len(h)-n-1:], func(l string) bool { return !kept(l) }) {
		h = h[:len(h)-1]
	}
	return h
}

// find returns the first line at which the old lines of the hunk begin, ignoring white space, or
// -1 if there is none.
func (h hunk) find(lines []string) int {
	var old []string
	for _, l := range h {
		if l[0] != '+' {
			old = append(old, squeezed(l[1:]))
		}
	}
	for i := 0; i+len(old) <= len(lines); i++ {
		if slices.EqualFunc(old, lines[i:i+len(old)], func(a, b string) bool { return a == squeezed(b) }) {
			return i
		}
	}
	return -1
}

func squeezed(line string) string { return strings.Join(strings.Fields(line), "") }
