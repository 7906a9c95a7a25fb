package experiment

import (
	"testing"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// The first runs that fail in a way are kept, and the first that pass with nothing done. A hold that came too late has
// done nothing.
func TestKeeps(t *testing.T) {
	e := &Experimenter{Test: "TestX", Traces: true, Log: newLog()}
	held := do(freedom.Step{Kind: trace.ActStall})
	acted := []Act{{Act: trace.Act{Kind: trace.ActStall, Applied: true}}}
	for _, c := range []struct {
		name  string
		trial Trial
		o     Outcome
		want  int
	}{
		{"failed", held, Outcome{Ran: true, Failed: true, Signature: failure("lost"), Acts: acted}, maxKept},
		{"failed otherwise", held, Outcome{Ran: true, Failed: true, Signature: failure("slow"), Acts: acted}, maxKept},
		{"failed before", held, Outcome{Ran: true, Failed: true, Signature: failure("early")}, maxKept},
		{"passed, held", held, Outcome{Ran: true, Acts: acted}, 0},
		{"passed", Trial{}, Outcome{Ran: true}, maxKept},
		{"passed, not held", held, Outcome{Ran: true}, 0}, // there are enough
		{"not come to the test", Trial{}, Outcome{}, 0},
	} {
		n := 0
		for i := range maxKept + 2 {
			o := c.o
			if e.Keeps(&c.trial, &o) {
				n++
				o.Run = &runner.Run{}
			}
			rec := LogLine{Test: "TestX", Kind: c.trial.Done(&o), Outcome: &o, Is: c.trial.tells(&o, nil)}
			if err := e.Log.addOutcome(c.name+string(rune('a'+i)), rec); err != nil {
				t.Fatal(err)
			}
		}
		if n != c.want {
			t.Errorf("%s: %d kept, want %d", c.name, n, c.want)
		}
	}
	if e.Traces = false; e.Keeps(&Trial{}, &Outcome{Failed: true, Signature: failure("new")}) {
		t.Error("kept, though nobody wants traces")
	}
}

// A failure that first comes while something is done is asked for with nothing done. One run in 30 fails with any acts:
// the plain runs go on until it comes. One run in 30 in which somebody is held fails: they end when it would have come.
func TestUntouched(t *testing.T) {
	for _, c := range []struct {
		name     string
		rule     func(r *simRun) bool
		byItself bool
	}{
		{"by itself", func(r *simRun) bool { return r.turn%30 == 29 }, true},
		{"while held", func(r *simRun) bool { return r.turn%30 == 29 && len(r.acts) > 0 }, false},
	} {
		s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
			if c.rule(r) {
				return "rare"
			}
			return ""
		}}
		e := s.experimenter()
		if _, err := e.Find(t.Context()); err != nil {
			t.Fatal(err)
		}
		list := e.Failures()
		if len(list) != 1 {
			t.Fatalf("%s: %d failures", c.name, len(list))
		}
		x := list[0]
		if x.Plain.Failed > 0 != c.byItself || !c.byItself && x.Plain.Of < x.enough() {
			t.Errorf("%s: plain %+v, perturbed %+v", c.name, x.Plain, x.Perturbed)
		}
	}
}
