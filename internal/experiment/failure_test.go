package experiment

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Each run that failed is counted once, by what it was made for, also by who opens the log later.
func TestFailures(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l, _ := openLog(t, name, Header{Build: "b"})
	acted := []Act{{Act: trace.Act{Kind: trace.ActYield, Applied: true}}}
	n := 0
	add := func(test, step, kind string, again bool, acts []Act, message string) {
		o := &Outcome{Ran: true, Failed: message != "", Message: message, Acts: acts}
		if o.Failed {
			o.Signature = runner.Signature{Test: test, Message: message}
		}
		n++
		if err := l.addOutcome(string(rune('a'+n)), logLine{Test: test, Step: step, Kind: kind, Again: again, Outcome: o}); err != nil {
			t.Fatal(err)
		}
	}
	add("TestX", "plain", "", false, nil, "")
	add("TestX", "plain", "", false, nil, "slow")
	add("TestX", "random stalls", "yield", false, acted, "")
	add("TestX", "random stalls", "yield", false, acted, "lost")
	add("TestX", "random stalls", "yield", false, acted, "lost")
	add("TestX", "random stalls", "yield", false, nil, "slow") // nobody was held: nothing was perturbed
	add("TestX", "reduce", "stall", true, acted, "lost")
	add("TestX", "reduce", "stall", true, acted, "")
	add("TestX", "reads", "read", false, nil, "lost")
	add("TestX", "confirm", "", true, nil, "")
	add("TestY", "pins", "select", false, nil, "other")
	for range 2 {
		list := l.Failures("TestX")
		if len(list) != 2 {
			t.Fatalf("%d failures, want slow and lost", len(list))
		}
		slow, lost := list[0], list[1]
		if slow.Message != "slow" || slow.Plain != (proof.Count{Failed: 2, Of: 4}) || slow.Steps != nil || slow.Again != 0 {
			t.Errorf("slow: %+v", slow)
		}
		if lost.Plain != (proof.Count{Of: 4}) || lost.Again != 1 || len(lost.Steps) != 2 ||
			lost.Steps[0] != (StepCount{"random stalls", proof.Count{Failed: 2, Of: 3}}) || lost.Steps[1] != (StepCount{"reads", proof.Count{Failed: 1, Of: 1}}) {
			t.Errorf("lost: %+v", lost)
		}
		l.close()
		l, _ = openLog(t, name, Header{Build: "b"})
	}
}

// Random stalls made it fail, and the time was up while that was reduced; or what they did, made
// again, let it pass. Then there is no finding, and nothing open: the log still tells of it.
func TestFailuresNotReduced(t *testing.T) {
	for _, again := range []string{"the time is up", "it passes"} {
		s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
			if r.trial.Plan.Does(yields) && r.turn%5 == 0 || r.trial.Plan.Does(perturb.Act.Holds) && again != "it passes" {
				return "lost"
			}
			return ""
		}}
		e := s.experimenter()
		e.Only = []string{"random stalls"}
		start := time.Unix(1e9, 0)
		if again != "it passes" {
			e.Until = start.Add(time.Hour)
		}
		e.clock = func() time.Time {
			if s.runs > 10 {
				return start.Add(2 * time.Hour)
			}
			return start
		}
		r, err := e.Find(t.Context())
		if err != nil || len(r.Findings) > 0 || r.Open != nil {
			t.Fatalf("%s: %d findings, open %v, %v", again, len(r.Findings), r.Open, err)
		}
		list := e.Log.Failures("TestX")
		if len(list) != 1 || len(list[0].Steps) != 1 || list[0].Steps[0].Failed == 0 || list[0].Plain.Failed > 0 {
			t.Errorf("%s: %+v", again, list)
		}
	}
}
