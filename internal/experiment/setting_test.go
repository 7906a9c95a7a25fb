package experiment

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// asking is a process that reads the clock in two blocks, and only the second matters, sets
// a timer and reads from a socket.
func asking(rule func(r *simRun) string) *sim {
	return &sim{streams: [][]trace.Event{stream(1, 6)}, rule: rule, draws: []trace.Draw{
		{Kind: trace.ActClock, Block: 2}, {Kind: trace.ActClock, Block: 3}, {Kind: trace.ActTimer, Block: 4}, {Kind: trace.ActRead, Block: 5},
		{Kind: trace.ActRead, Block: 6},
	}}
}

// set returns the value of a setting for a block.
func (r *simRun) set(what freedom.Aspect, block uint32) (v freedom.Step, ok bool) {
	for _, x := range r.trial.Plan.Of(freedom.Step.Sets) {
		if x.What == what && (x.At.Block == 0 || x.At.Block == block) {
			v, ok = x, true
		}
	}
	return v, ok
}

// by returns by how much a reading is shifted by itself.
func (r *simRun) by(block uint32) time.Duration {
	for _, x := range r.trial.Plan.Of(freedom.Step.Sets) {
		if x.What == freedom.ClockShift && x.At.Block == block {
			return time.Duration(x.Value)
		}
	}
	return 0
}

// A phase that always fails, far from those that pass, is a proof, with one that always passes as its cure, and the
// reading that decides is the one that needs only to be set right.
func TestPhase(t *testing.T) {
	f := one(t, asking(func(r *simRun) string {
		x, ok := r.set(freedom.ClockPhase, 0)
		unit := int64(100 * time.Millisecond)
		if !ok || x.Unit != unit {
			return ""
		}
		if at := (x.Value + int64(r.by(3))) % unit; at >= unit*5/10 && at < unit*9/10 {
			return "late in the period"
		}
		return ""
	}).find(t))
	if f.Verdict != proof.Proved || f.Kind() != "clock" || !slices.Equal(f.blocks, []int{3}) || f.Confirmed.Cure == (proof.Count{}) || f.Confirmed.Sham != (proof.Count{}) {
		t.Errorf("%v, %s at %v, %+v; want proved by the clock at 3", f.Verdict, f.Kind(), f.blocks, f.Confirmed)
	}
	if f.Law.Range != (freedom.Range{Unit: 100e6, From: 50e6, To: 90e6}) {
		t.Errorf("law %+v, want from 50 to 90 ms of 100", f.Law)
	}
}

// Two readings decide where a period ends between them; a third one does not.
func TestTwoReadings(t *testing.T) {
	s := asking(func(r *simRun) string {
		x, ok := r.set(freedom.ClockPhase, 0)
		unit := int64(100 * time.Millisecond)
		if first, then := x.Value+int64(r.by(3)), x.Value+10e6+int64(r.by(5)); !ok || x.Unit != unit || (first+unit)/unit == (then+unit)/unit {
			return ""
		}
		return "another period"
	})
	for _, block := range []uint32{4, 5} {
		s.draws = append(s.draws, drawsAt(trace.ActClock, block)...)
	}
	f := one(t, s.find(t))
	if f.Law.Kind != proof.LawEnds || f.Law.Range != (freedom.Range{Unit: 100e6, From: 90e6, To: 100e6}) || !slices.Equal(f.blocks, []int{3, 5}) {
		t.Errorf("law %+v of readings at %v, want from 90 to 100 ms of 100, at 3 and 5", f.Law, f.blocks)
	}
}

// What every other run fails with is nobody's phase.
func TestPhaseByChance(t *testing.T) {
	s := asking(func(r *simRun) string {
		if r.rnd.IntN(2) == 0 {
			return "chance"
		}
		return ""
	})
	for _, f := range s.find(t).Findings {
		if f.Verdict == proof.Proved {
			t.Errorf("proved: %s", f.Kind())
		}
	}
}

// The lateness that fails is found to a quarter, and its timer named; there is no other
// timer, so that a little of it passes.
func TestLate(t *testing.T) {
	f := one(t, asking(func(r *simRun) string {
		if x, ok := r.set(freedom.TimerLate, 4); ok && x.Value >= int64(8*time.Millisecond) {
			return "late"
		}
		return ""
	}).find(t))
	if f.Verdict != proof.Proved || f.Kind() != "timer" || f.Smallest < 8*time.Millisecond || f.Smallest > 10*time.Millisecond || f.cure == nil {
		t.Errorf("%v, %s, %v, cure %v; want proved by a timer of 8 to 10 ms", f.Verdict, f.Kind(), f.Smallest, f.cure)
	}
}

// Of two reads the one is named that has to be whole, and the other is the sham.
func TestShortRead(t *testing.T) {
	f := one(t, asking(func(r *simRun) string {
		if x, ok := r.set(freedom.ReadMost, 6); ok && x.Value < 10 {
			return "short"
		}
		return ""
	}).find(t))
	if f.Verdict != proof.Proved || f.Kind() != "read" || !slices.Equal(f.blocks, []int{6}) || f.sham == nil {
		t.Errorf("%v, %s at %v, sham %v; want proved by a read at 6", f.Verdict, f.Kind(), f.blocks, f.sham)
	}
}

// Two reads must be short at once. That a third asks in every other run only does not matter.
func TestShortReads(t *testing.T) {
	s := asking(func(r *simRun) string {
		if r.turn%2 == 0 {
			r.draws = append(r.draws, trace.Draw{Kind: trace.ActRead, Block: 3})
		}
		first, one := r.set(freedom.ReadMost, 5)
		second, other := r.set(freedom.ReadMost, 6)
		if one && other && first.Value < 10 && second.Value < 10 {
			return "short"
		}
		return ""
	})
	s.draws = append(s.draws, trace.Draw{Kind: trace.ActRead, Block: 2})
	f := one(t, s.find(t))
	if f.Verdict != proof.Proved || f.Kind() != "read" || !slices.Equal(f.blocks, []int{5, 6}) || f.sham == nil {
		t.Errorf("%v, %s at %v, sham %v; want proved by the reads at 5 and 6", f.Verdict, f.Kind(), f.blocks, f.sham)
	}
}

// Only kinds that are chosen are tried.
func TestKinds(t *testing.T) {
	s := asking(func(r *simRun) string { return "" })
	e := s.experimenter()
	e.Kinds = []string{"read"}
	tried := make(map[string]bool)
	run := e.Run
	e.Run = func(ctx context.Context, t Trial, keep bool, limit time.Duration) (Outcome, error) {
		tried[t.Kind()] = true
		return run(ctx, t, keep, limit)
	}
	if _, err := e.Find(t.Context()); err != nil {
		t.Fatal(err)
	}
	delete(tried, ptr(do(freedom.Survey()...)).Kind())
	if len(tried) != 2 || !tried["read"] || !tried[""] {
		t.Errorf("tried %v, want reads and plain runs", tried)
	}
}

// offline is a process that dials in block 4, and whose package asks for HOME before the test.
func offline(rule func(r *simRun) string) *sim {
	s := asking(rule)
	s.draws = []trace.Draw{{Kind: trace.ActNetwork, Block: 4}, {Kind: trace.ActHome}}
	return s
}

// Without a network it fails, and with it as it is it passes: that is the cure, where no other
// place could be a sham.
func TestNoNetwork(t *testing.T) {
	f := one(t, offline(func(r *simRun) string {
		if _, ok := r.set(freedom.NetworkNone, 0); ok {
			return "unreachable"
		}
		return ""
	}).find(t))
	if f.Verdict != proof.Proved || f.Kind() != "limits" || !slices.Equal(f.blocks, []int{4}) || f.sham != nil || f.cure.Plan.Acts[0].What != freedom.AsItIs {
		t.Errorf("%v, %s at %v, cured by %+v; want proved by the network at 4", f.Verdict, f.Kind(), f.blocks, f.cure)
	}
}

// An empty home directory is the cure of none, and what asked for it before the test is no
// place in it.
func TestNoHome(t *testing.T) {
	f := one(t, offline(func(r *simRun) string {
		if _, ok := r.set(freedom.HomeNone, 0); ok {
			return "not made"
		}
		return ""
	}).find(t))
	if f.Verdict != proof.Proved || len(f.blocks) != 0 || f.cure.Plan.Acts[0].What != freedom.HomeFresh {
		t.Errorf("%v at %v, cured by %+v; want proved, cured by an empty HOME", f.Verdict, f.blocks, f.cure)
	}
}

// What nobody asks for is not tried.
func TestMachineNotAsked(t *testing.T) {
	s := asking(func(r *simRun) string {
		for _, what := range []freedom.Aspect{freedom.NetworkNone, freedom.TempFresh, freedom.HomeFresh, freedom.HomeNone} {
			if _, ok := r.set(what, 0); ok {
				t.Errorf("%v was tried", what)
			}
		}
		return ""
	})
	s.find(t)
}

// A test that always fails, and passes in a new TMPDIR, found files that an earlier run left there.
func TestLeftBehind(t *testing.T) {
	f := one(t, offline(func(r *simRun) string {
		if _, ok := r.set(freedom.TempFresh, 0); ok {
			return ""
		}
		return "exists"
	}).find(t))
	if !f.Always || f.Kind() != "limits" || f.Confirmed.Cure.Failed != 0 || f.Confirmed.Plain.Failed != 20 {
		t.Errorf("always %v, %s, %+v; want a new TMPDIR as the cure", f.Always, f.Kind(), f.Confirmed)
	}
}

// What fails only on a busy machine is proved by the load alone, names no place, and passes with a whole processor, or on a
// machine that is idle.
func TestLoad(t *testing.T) {
	for _, c := range []struct {
		name      string
		fails     func(p *freedom.Plan) bool
		act, cure freedom.Step
	}{
		// Proposed are 10 percent; 20 and 40 suffice, 80 do not; half of 40 is sure.
		{"a quota", func(p *freedom.Plan) bool { return p.CPUs() > 0 && p.CPUs() <= 0.5 }, freedom.Quota(20), freedom.Quota(100)},
		{"less than a CPU", func(p *freedom.Plan) bool { return p.CPUs() > 0 && p.CPUs() < 3 }, freedom.Quota(40), freedom.Machine(freedom.AsItIs)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !runner.CanLimit {
				t.Skip("no load on this system")
			}
			f := one(t, asking(func(r *simRun) string {
				if c.fails(&r.trial.Plan) {
					return "too late"
				}
				return ""
			}).find(t))
			if f.Verdict != proof.Proved || f.Kind() != "limits" || len(f.blocks) != 0 || f.sham != nil {
				t.Fatalf("%v, %s at %v, sham %v; want proved by limits", f.Verdict, f.Kind(), f.blocks, f.sham)
			}
			if got := f.Trial.Plan.Acts; !slices.Equal(got, []freedom.Step{c.act}) {
				t.Errorf("fails with %+v, want %+v", got, c.act)
			}
			if got := f.cure.Plan.Acts; !slices.Equal(got, []freedom.Step{c.cure}) {
				t.Errorf("passes with %+v, want %+v", got, c.cure)
			}
		})
	}
}

// What fails on a busy machine because a goroutine is late is explained by that one.
func TestLoadLast(t *testing.T) {
	f := one(t, asking(func(r *simRun) string {
		if p := &r.trial.Plan; p.CPUs() > 0 && p.CPUs() < 1 || p.Does(func(a freedom.Step) bool { return a.Holds() && a.At.Block == 5 }) {
			return "too late"
		}
		return ""
	}).find(t))
	if f.Kind() != "stall" {
		t.Errorf("explained by %s, want a hold", f.Kind())
	}
}

// Where few files may be open the test fails after TestB, which leaves some open: that test and
// the limit are named, and alone, after another one, or with more files it passes.
func TestLeak(t *testing.T) {
	s := offline(func(r *simRun) string {
		few, is := r.set(freedom.FilesMost, 0)
		if is && few.Value < 1000 && (r.trial.Suite || slices.Contains(r.trial.Before, "TestB")) {
			return "too many open files"
		}
		return ""
	})
	e := s.experimenter()
	f, err := e.FindLeak(t.Context(), []string{"TestA", "TestB", "TestC", "TestX"})
	if err != nil || f == nil {
		t.Fatalf("%v, %v", f, err)
	}
	if f.Verdict != proof.Proved || f.Kind() != "limits+tests" || !slices.Equal(f.Trial.Before, []string{"TestB"}) {
		t.Errorf("%v, %s, after %v; want proved after TestB", f.Verdict, f.Kind(), f.Trial.Before)
	}
	if c := f.Confirmed; c.With.Failed != 20 || c.Plain.Failed != 0 || c.Sham.Failed != 0 || c.Cure.Failed != 0 {
		t.Errorf("%+v", c)
	}
}

// What needs more files than there may be by itself is nobody's leak.
func TestNoLeak(t *testing.T) {
	s := offline(func(r *simRun) string {
		if _, few := r.set(freedom.FilesMost, 0); few {
			return "too many open files"
		}
		return ""
	})
	if f, err := s.experimenter().FindLeak(t.Context(), []string{"TestA", "TestX"}); f != nil || err != nil {
		t.Errorf("%+v, %v", f, err)
	}
}

// What fails only with another clock is found, but not in a test that sees the one of the
// kernel, or of processes that it starts, be it only in the runs with the other one.
func TestAnotherClock(t *testing.T) {
	for _, c := range []struct {
		name string
		what freedom.Aspect
		sees trace.ActKind
		only bool // in runs with the other clock
		want int
	}{
		{"nothing", freedom.ClockDate, 0, false, 1},
		{"a process", freedom.ClockDate, trace.ActProcess, false, 0},
		{"times of the kernel", freedom.ClockDate, trace.ActKernel, false, 0},
		{"times of the kernel, later", freedom.ClockDate, trace.ActKernel, true, 0},
		{"nothing, with a coarse clock", freedom.ClockGrain, 0, false, 1},
		{"times of the kernel, with a coarse clock", freedom.ClockGrain, trace.ActKernel, false, 0},
	} {
		s := asking(func(r *simRun) string {
			if _, is := r.set(c.what, 0); is {
				if c.only {
					r.draws = append(r.draws, trace.Draw{Kind: c.sees, Block: 6})
				}
				return "another time"
			}
			return ""
		})
		if c.sees != 0 && !c.only {
			s.draws = append(s.draws, trace.Draw{Kind: c.sees, Block: 6})
		}
		if got := len(s.find(t).Findings); got != c.want {
			t.Errorf("%s: %d findings, want %d", c.name, got, c.want)
		}
	}
}

// A failure that stalls bring now and then, and that a phase of the second brings each time, is looked for there before all
// positions of a long test were held.
func TestPhaseOfSecondEarly(t *testing.T) {
	s := &sim{streams: [][]trace.Event{stream(1, 80), stream(101, 80)}, draws: drawsAt(trace.ActClock, 20), rule: func(r *simRun) string {
		plan := &r.trial.Plan
		for _, set := range plan.Of(freedom.Step.Sets) {
			if set.Unit == int64(time.Second) && set.Value%set.Unit >= int64(990*time.Millisecond) {
				return "the next second"
			}
		}
		if plan.Does(freedom.Step.Holds) && r.rnd.IntN(8) == 0 {
			return "the next second"
		}
		return ""
	}}
	f := one(t, s.find(t))
	if f.Verdict != proof.Proved || f.Kind() != "clock" || f.Found > 200 {
		t.Errorf("%v, %s, after %d runs", f.Verdict, f.Kind(), f.Found)
	}
}

// A phase that recorded runs had when they failed is set before anything else, and proved with the one that they had
// when they passed.
func TestFactFirst(t *testing.T) {
	unit := 700 * time.Millisecond // no unit that is tried otherwise
	s := asking(func(r *simRun) string {
		if x, ok := r.set(freedom.ClockPhase, 0); ok && x.Unit == int64(unit) && (x.Value+int64(r.by(3)))%x.Unit >= x.Unit/2 {
			return "late in the period"
		}
		return ""
	})
	e := s.experimenter()
	e.Hints = []freedom.Hint{{Span: trace.Span{File: "m.go", Start: 3, End: 3}, Fails: [][]freedom.Step{{freedom.StartAt(unit, 500*time.Millisecond)}}, Passes: [][]freedom.Step{{freedom.StartAt(unit, 100*time.Millisecond)}}}}
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := one(t, r)
	if f.Verdict != proof.Proved || f.Kind() != "clock" || f.Confirmed.Cure.Of == 0 {
		t.Errorf("%v, %s, %+v", f.Verdict, f.Kind(), f.Confirmed)
	}
	if f.Found > plainRuns+3 { // the survey, and two phases
		t.Errorf("found after %d runs", f.Found)
	}
	e = s.experimenter()
	e.Hints, e.Kinds = []freedom.Hint{{Span: trace.Span{File: "m.go", Start: 3, End: 3}, Fails: [][]freedom.Step{{freedom.StartAt(unit, 500*time.Millisecond)}}}}, []string{"stall"}
	if r, err := e.Find(t.Context()); err != nil || len(r.Findings) > 0 {
		t.Errorf("a kind that is not wanted was tried: %v, %v", r.Findings, err)
	}
}

// Where the hold of a goroutine that a timer wakes, or starts, does what the late timer does, that is what is found.
func TestLateHold(t *testing.T) {
	for _, c := range []struct {
		name    string
		started bool // by the timer, else woken by it
		where   int64
		kind    string
	}{
		{"woken", false, 4, "stall"}, {"started", true, 0, "stall"}, {"it looks by itself", false, -1, "timer"},
	} {
		s := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActTimer, 3), rule: func(r *simRun) string {
			x, _ := r.set(freedom.TimerLate, 3)
			late := x.Value >= int64(10*time.Millisecond)
			for _, h := range r.trial.Plan.Of(freedom.Step.Holds) {
				late = late || h.At.G.ID == 2 && h.At.Event == uint64(c.where) && h.Dose >= 5*time.Millisecond
			}
			if late {
				return "late"
			}
			return ""
		}}
		if c.started {
			s.spawned = map[int]int{2: 3}
		}
		s.times = func(tr *trace.Trace) {
			tr.Reasons = []string{"", "select"}
			if !c.started {
				tr.Goroutines[1].Stamps = []trace.Stamp{{Pos: 4, Time: 1, Reason: 1}, {Pos: 4, Time: 2, GoesOn: true, Waker: trace.WakerTimer}}
			}
		}
		e := s.experimenter()
		e.Hints = []freedom.Hint{{Fails: [][]freedom.Step{{freedom.Late(3, 30*time.Millisecond)}}}}
		r, err := e.Find(t.Context())
		if err != nil || len(r.Findings) != 1 {
			t.Fatalf("%s: %+v, %v", c.name, r, err)
		}
		f := r.Findings[0]
		if f.Verdict != proof.Proved || f.Kind() != c.kind || c.where >= 0 && f.sites[0].Event != c.where {
			t.Errorf("%s: %v, %s at %v; want %s", c.name, f.Verdict, f.Kind(), f.sites, c.kind)
		}
	}
}
