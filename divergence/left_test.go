package divergence

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// touch is a note of a test, by its number, from 1: it looks at a thing or changes it, or both, in a state before that.
// The stack has the number of the statement.
func touch(test int32, use, thing, number, was, stack int) trace.Note {
	return trace.Note{Kind: trace.ActLeft, Goroutine: test, Value: int64(was<<42 | number<<32 | stack<<4 | thing<<2 | use)}
}

// leftRun is a run of TestA, TestB and TestX, in which they touch things.
func leftRun(n int, failed bool, notes ...trace.Note) Run {
	r := valueRun(n, failed)
	r.Trace.Goroutines = append([]*trace.Goroutine{{Test: "TestA"}, {Test: "TestB/sub"}}, r.Trace.Goroutines...)
	r.Trace.Notes, r.Trace.Stacks = notes, make(map[uint32][]trace.Frame)
	for stack := range 10 {
		r.Trace.Stacks[uint32(stack)] = []trace.Frame{{Line: stack}}
	}
	return r
}

func TestLeft(t *testing.T) {
	const a, b, x, looks, changes = 1, 2, 3, trace.TouchLooks, trace.TouchChanges
	set := touch(a, changes, trace.TouchEnv, 0, 0, 1)
	found := touch(x, looks, trace.TouchEnv, 0, 7, 2)
	for name, c := range map[string]struct {
		failing, passing []trace.Note
		want             string
	}{
		"nothing":              {nil, nil, "[]"},
		"left":                 {[]trace.Note{set, found}, nil, "[TestA 0 1 2]"},
		"found before":         {[]trace.Note{found, set}, nil, "[]"},
		"put back":             {[]trace.Note{set, touch(a, changes, trace.TouchEnv, 0, 7, 3), touch(x, looks, trace.TouchEnv, 0, 0, 2)}, nil, "[]"},
		"changed twice":        {[]trace.Note{set, touch(a, changes, trace.TouchEnv, 0, 5, 3), found}, nil, "[TestA 0 3 2]"},
		"by the last":          {[]trace.Note{set, touch(b, changes, trace.TouchEnv, 0, 5, 3), found}, nil, "[TestB 0 3 2]"},
		"put back by B":        {[]trace.Note{set, touch(b, changes, trace.TouchEnv, 0, 7, 3), found}, nil, "[]"},
		"set by itself":        {[]trace.Note{set, touch(x, changes, trace.TouchEnv, 0, 7, 3), found}, nil, "[]"},
		"looks and changes":    {[]trace.Note{set, touch(x, looks|changes, trace.TouchEnv, 0, 7, 3)}, nil, "[TestA 0 1 3]"},
		"another thing":        {[]trace.Note{set, touch(x, looks, trace.TouchFile, 1, 7, 3)}, nil, "[]"},
		"of both outcomes":     {[]trace.Note{set, found}, []trace.Note{set, found}, "[]"},
		"of passing runs":      {nil, []trace.Note{set, found}, "[TestA 0 1 2]"},
		"the last comes first": {[]trace.Note{set, touch(a, changes, trace.TouchFile, 1, 0, 4), found, touch(x, looks, trace.TouchFile, 1, 9, 5)}, nil, "[TestA 1 4 5 TestA 0 1 2]"},
		"found in the end":     {[]trace.Note{set, touch(a, changes, trace.TouchFile, 1, 0, 4), found, touch(x, looks, trace.TouchFile, 1, 9, 5), found}, nil, "[TestA 0 1 2 TestA 1 4 5]"},
	} {
		an := analyzeValues(t, []Run{leftRun(1, true, c.failing...), leftRun(2, false, c.passing...)})
		var got []any
		for _, l := range an.Left {
			got = append(got, l.By, l.Thing, l.Changed[0].Line, l.Found[0].Line)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, want %s", name, got, c.want)
		}
	}
}

// Of several the one that was found in the most runs comes first, and nothing counts that came after the failure.
func TestLeftInMost(t *testing.T) {
	env := []trace.Note{touch(1, trace.TouchChanges, trace.TouchEnv, 0, 0, 1), touch(3, trace.TouchLooks, trace.TouchEnv, 0, 7, 2)}
	file := []trace.Note{touch(1, trace.TouchChanges, trace.TouchFile, 1, 0, 3), touch(3, trace.TouchLooks, trace.TouchFile, 1, 7, 4)}
	late := slices.Clone(file)
	late[1].Time = 1 << 40
	a := analyzeValues(t, []Run{leftRun(1, true, slices.Concat(env, file)...), leftRun(2, true, slices.Concat(env, late)...), leftRun(3, false)})
	if len(a.Left) != 2 || a.Left[0].Thing != trace.TouchEnv {
		t.Errorf("got %+v, want the variable first", a.Left)
	}
}
