package remedy

import (
	"bytes"
	"go/format"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// keep returns an edited and formatted text with the lines of the original as they were where the edit has
// not touched them: a file that is not as gofmt has it would else be changed all over. It is the edited
// text itself where the lines can't be told.
func keep(original, edited []byte) []byte {
	formatted, err := format.Source(original)
	if err != nil || bytes.Equal(formatted, original) {
		return edited
	}
	lines := strings.SplitAfter(string(original), "\n")
	all := hunks(diff.Diff("a", formatted, "b", edited))
	for context := maxContext; context >= 0; context-- { // what stands around may look otherwise than gofmt has it
		text := patched(lines, all, context)
		if again, err := format.Source(text); text != nil && err == nil && bytes.Equal(again, edited) {
			return text
		}
	}
	return edited
}

// maxContext is how many lines around a change package diff writes.
const maxContext = 3

// patched returns lines with the changes of hunks made, each found by as many lines around it; nil if one is
// not found.
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

// hunks returns those of a diff, as package diff writes it.
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

// find returns the first line from which on lines are those that the hunk is about, but for
// white space; -1 if there is none.
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
