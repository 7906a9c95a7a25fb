package divergence

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

func TestAnalyzeErrors(t *testing.T) {
	s := straight(2)
	run := oneRun(1, true, []trace.Event{1})
	for _, tt := range []struct {
		in   Input
		want error
	}{
		{Input{Runs: []Run{run}}, ErrNoSites},
		{Input{Sites: s}, ErrNoFailing},
		{Input{Sites: s, Runs: []Run{{N: 1}}}, ErrNoFailing},
		{Input{Sites: s, Runs: []Run{run}}, ErrNoPassing},
	} {
		if _, err := Analyze(tt.in); !errors.Is(err, tt.want) {
			t.Errorf("%v, want %v", err, tt.want)
		}
	}
	if _, err := Analyze(Input{Sites: s, Runs: []Run{run, {N: 2}}}); err == nil || !strings.Contains(err.Error(), "run 2 has no trace") {
		t.Error(err)
	}
}

// An unreadable trace is an error that names the run.
func TestAnalyzeUnreadable(t *testing.T) {
	bad := trace.NewLoadedGoroutine(1, "TestX", []trace.Chunk{{Hash: 7, Len: 3, Kept: true}},
		func(int, []trace.Event) ([]trace.Event, error) { return nil, errors.New("disk on fire") })
	in := Input{Test: "TestX", Sites: straight(3), Runs: []Run{
		oneRun(1, false, []trace.Event{1, 2}),
		{N: 2, Failed: true, Trace: &trace.Trace{Goroutines: []*trace.Goroutine{bad}}},
	}}
	if _, err := Analyze(in); err == nil || err.Error() != "divergence: TestX: run 2: disk on fire" {
		t.Error(err)
	}
}

// For the first 10,000 events only hashes were kept. Runs part at event 5000, in chunk 6 (events
// 4032 to 8127): all that is known is that they share the first 4032.
func TestAnalyzeNotKept(t *testing.T) {
	s := straight(4)
	events := slices.Repeat([]trace.Event{1, 2}, 6000)
	other := slices.Clone(events)
	other[5000] = 3
	var runs []Run
	for i := range 8 {
		e := events
		if i < 3 {
			e = append(slices.Clone(other), trace.CheckEvent(trace.CheckFail, 9))
		}
		r := oneRun(i+1, i < 3, e)
		r.Trace.Truncated = "the trace budget of 1 GB was reached"
		for k := range 7 {
			r.Trace.Goroutines[0].Chunks[k].Kept = false
		}
		runs = append(runs, r)
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: s})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Chain) != 1 {
		t.Fatal(summary(s, a))
	}
	d := a.Chain[0]
	var warned bool
	for _, w := range a.Warnings {
		warned = warned || strings.Contains(w.Error(), "truncated")
	}
	if d.CommonPrefix != 4032 || d.LastCommon != 0 || d.FailNext != 0 || !warned || !d.Table.Perfect() {
		t.Errorf("prefix %d, last %v, next %v, warnings %v", d.CommonPrefix, d.LastCommon, d.FailNext, a.Warnings)
	}
}

// The limits hold: the least telling is cut, and a warning says so.
func TestAnalyzeLimits(t *testing.T) {
	s := straight(1200)
	var all []trace.Event // of a goroutine that always does the same
	for b := range 1200 {
		all = append(all, trace.Event(b+1))
	}
	var runs []Run
	for i := range 40 {
		tr := &trace.Trace{}
		for g := range 8 {
			next := trace.Event(2)
			if i < 10 {
				next = 3
			}
			gr := trace.NewGoroutine(trace.GoroutineID(g+1), "TestX", []trace.Event{1, next, trace.Event(4 + i%30)})
			gr.Root, gr.Start, gr.End = g == 0, int64(g), 1000
			gr.Spawn.Line = g
			tr.Goroutines = append(tr.Goroutines, gr)
		}
		tr.Goroutines = append(tr.Goroutines, trace.NewGoroutine(9, "TestX", all))
		runs = append(runs, Run{N: i, Failed: i < 10, Trace: tr})
	}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: s})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Chain) != maxChain {
		t.Errorf("chain %d", len(a.Chain))
	}
	if !a.Chain[maxChain-1].Goroutine.Root {
		t.Error("the goroutine that failed is not last")
	}
	if !slices.ContainsFunc(a.Warnings, func(err error) bool { return strings.Contains(err.Error(), "3 more divergences") }) {
		t.Errorf("warnings %v", a.Warnings)
	}
}

// TestAnalyzeEnds ends the analysis while the failing run is read. In places Analyze skips what
// can't be read, so it must return nothing.
func TestAnalyzeEnds(t *testing.T) {
	why := errors.New("time is up")
	ctx, cancel := context.WithCancelCause(t.Context())
	events := []trace.Event{1, 2}
	slow := trace.NewLoadedGoroutine(1, "TestX", []trace.Chunk{{Hash: trace.HashEvents(events), Len: 2, Kept: true}},
		func(int, []trace.Event) ([]trace.Event, error) { cancel(why); return events, nil })
	in := Input{Test: "TestX", Sites: straight(3), Context: ctx, Runs: []Run{
		oneRun(1, false, []trace.Event{1, 3}),
		{N: 2, Failed: true, Trace: &trace.Trace{Goroutines: []*trace.Goroutine{slow}}},
	}}
	if a, err := Analyze(in); a != nil || !errors.Is(err, why) {
		t.Errorf("got %+v, %v", a, err)
	}
	if context.Cause(ctx) != why {
		t.Error("nothing was read")
	}
}
