package report

import (
	"testing"

	"github.com/fdebug/fdebug/internal/listing"
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
		m := listing.NewMarker(listing.NewSources(f.result()))
		m.Common(counted(counts...), nil)
		for line, want := range map[int]int64{3: 1, 4: 1, 5: 5} {
			if got := m.At("names.go", line).Times; got != want {
				t.Errorf("%s: line %d ran %d times, want %d", name, line, got, want)
			}
		}
	}
}

// A block that ended in a panic was not run behind it, the last time; before that it was, each time.
func TestMarksEndAtPanic(t *testing.T) {
	f := newFixture(t)
	f.file("where.go", "package m\n\nfunc where() {\n\tw, ok := table.places[name]\n\tif !ok {\n\t}\n}\n")
	fn := f.fn("where.go", "m.where", "func where()")
	block := f.block(fn, trace.BlockEntry, "w, ok := table.places[name]\n\tif !ok {")
	for _, tt := range []struct {
		counts []int
		want   map[int]int64
	}{
		{[]int{block}, map[int]int64{4: 1, 5: 0}},
		{[]int{block, block, block}, map[int]int64{4: 3, 5: 2}},
	} {
		m := listing.NewMarker(listing.NewSources(f.result()))
		last, _ := m.Src.Block(block)
		last.EndAt(listing.Place{Span: trace.LineOf("where.go", 4)})
		if last.End != 4 || len(last.Lines) != 1 {
			t.Errorf("the block ends at line %d, lines %v", last.End, last.Lines)
		}
		m.Common(counted(tt.counts...), &last)
		for line, want := range tt.want {
			if l := m.At("where.go", line); l.Times != want || l.Common != (want > 0) {
				t.Errorf("after %d visits: line %d is told to have run %d times, common %v; want %d", len(tt.counts), line, l.Times, l.Common, want)
			}
		}
	}
}
