package report

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// A statement that runs once and calls the literal on its line five times ran once, in whatever
// order the two are counted; the lines within the literal ran as often as it was called.
func TestCountsOfLiterals(t *testing.T) {
	f := newFixture(t)
	f.file("names.go", "package m\n\nfunc names() {\n\twalk(func(s string) {\n\t\tout = append(out, s)\n\t})\n}\n")
	outer := f.fn("names.go", "m.names", "func names()")
	inner := f.fn("names.go", "m.names.func1", "walk(func")
	call := f.block(outer, trace.BlockEntry, "walk(func(s string) {")
	body := f.block(inner, trace.BlockEntry, "out = append(out, s)")
	for name, counts := range map[string][]int{
		"the statement first": {call, body, body, body, body, body},
		"the literal first":   {body, body, body, body, body, call},
	} {
		m := newMarker(newSources(f.result()))
		m.common(counted(counts...))
		for line, want := range map[int]int64{3: 1, 4: 1, 5: 5} {
			if got := m.at("names.go", line).times; got != want {
				t.Errorf("%s: line %d ran %d times, want %d", name, line, got, want)
			}
		}
	}
}
