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
	held := do(freedom.Act{Kind: trace.ActStall})
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
			rec := logLine{Test: "TestX", Kind: c.trial.Done(&o), Outcome: &o, Is: c.trial.tells(&o, nil)}
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
