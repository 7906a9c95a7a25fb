package experiment

import (
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Each run that failed is counted once, by what it was made for, also by who opens the log later.
func TestFailures(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l, _ := openLog(t, name, Header{Build: "b"})
	acted := []Act{{Act: trace.Act{Kind: trace.ActStall, Applied: true}}}
	n := 0
	add := func(test, kind string, again bool, acts []Act, message string) {
		o := &Outcome{Ran: message != "none", Failed: message != "", Message: message, Acts: acts, Run: &runner.Run{}}
		if o.Failed {
			o.Signature = runner.Signature{Test: test, Message: message}
		}
		trial := Trial{}
		if kind == "stall" {
			trial = do(freedom.Stall(freedom.Position{}, 1, false))
			kind = trial.Done(o)
		}
		n++
		line := LogLine{Test: test, Kind: kind, Again: again, Outcome: o, Is: trial.tells(o, nil)}
		if err := l.addOutcome(string(rune('a'+n)), line); err != nil {
			t.Fatal(err)
		}
	}
	add("TestX", "", false, nil, "")
	add("TestX", "", false, nil, "slow")
	add("TestX", "stall", false, acted, "")
	add("TestX", "stall", false, acted, "lost")
	add("TestX", "stall", false, acted, "lost")
	add("TestX", "stall", false, nil, "slow") // it failed before somebody was held
	add("TestX", "stall", false, nil, "")
	add("TestX", "", false, nil, "none") // it did not come to the test
	add("TestX", "stall", true, acted, "lost")
	add("TestX", "stall", true, acted, "")
	add("TestX", "read", false, nil, "lost")
	add("TestX", "", true, nil, "")
	add("TestY", "select", false, nil, "other")
	for range 2 {
		list := l.Failures("TestX")
		if len(list) != 2 {
			t.Fatalf("%d failures, want slow and lost", len(list))
		}
		slow, lost := list[0], list[1]
		if slow.Message != "slow" || slow.Plain != (proof.Count{Failed: 1, Of: 3}) || slow.Before != 1 ||
			slow.Perturbed != (proof.Count{Of: 6}) {
			t.Errorf("slow: %+v", slow)
		}
		if lost.Perturbed != (proof.Count{Failed: 4, Of: 6}) || len(lost.Kept) != 4 || len(lost.Passed) != 3 {
			t.Errorf("lost: %+v, kept %d and %d that passed", lost.Perturbed, len(lost.Kept), len(lost.Passed))
		}
		if lost.Plain != (proof.Count{Of: 3}) {
			t.Errorf("lost: %+v", lost)
		}
		l.file.Close()
		l, _ = openLog(t, name, Header{Build: "b"})
	}
}
