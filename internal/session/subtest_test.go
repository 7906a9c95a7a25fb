package session

import (
	"context"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A subtest is run alone if it is the only one that fails, the others take longer, and it fails as often without them.
func TestNarrow(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name   string
		fail   []string
		own    time.Duration // of the first of them
		run    string
		alone  func(n int) bool // whether the n-th run of it alone fails
		narrow bool
	}{
		{"one of many", []string{"TestX/a b", "TestX/a b"}, 10 * ms, "", every(4), true},
		{"with tests chosen", []string{"TestX/a b"}, 10 * ms, "TestX", every(4), true},
		{"below a subtest", []string{"TestX/a b/c"}, 10 * ms, "", every(4), true},
		{"never alone", []string{"TestX/a b"}, 10 * ms, "", never, false},
		{"always alone", []string{"TestX/a b"}, 10 * ms, "", every(1), false},
		{"two", []string{"TestX/a b", "TestX/c"}, 10 * ms, "", every(4), false},
		{"the test itself", []string{"TestX/a b", "TestX"}, 10 * ms, "", every(4), false},
		{"the longest", []string{"TestX/a b"}, 60 * ms, "", every(4), false},
		{"chosen by the user", []string{"TestX/a b"}, 10 * ms, "TestX/a.b", every(4), false},
		{"a spec", []string{"TestX:a b"}, 10 * ms, "", every(4), false},
	} {
		x := &experimentJob{valueJob: &valueJob{Session: &Session{Config: Config{Sel: runner.Selection{Run: c.run}}}}}
		p := &target{Name: "TestX", Pkg: &runner.Package{}, lab: &Lab{Job: x.Session}, exp: &experiment.Experimenter{Test: "TestX"}}
		for _, name := range c.fail {
			p.Fail = append(p.Fail, runner.Signature{Test: name, Frame: trace.Frame{File: "m.go", Line: 7}})
		}
		for i := range 40 {
			p.Pkg.Runs = append(p.Pkg.Runs, &runner.Run{Outcomes: []*runner.Outcome{
				{Test: "TestX", Elapsed: 100 * ms}, {Test: c.fail[0], Elapsed: c.own}}})
			p.exp.Recorded = append(p.exp.Recorded, experiment.Recorded{Failed: i%4 == 0})
		}
		p.exp.Natural = p.Fail
		n := 0
		p.exp.Run = func(_ context.Context, _ experiment.Trial, _ bool, _ time.Duration) (
			experiment.Outcome, error) {
			n++
			o := experiment.Outcome{Ran: true}
			if o.Failed = c.alone(n); o.Failed {
				o.Signature = p.Fail[0]
			}
			return o, nil
		}
		if err := x.narrow(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if got := p.lab.below != ""; got != c.narrow || !got && p.exp.Log != nil {
			t.Errorf("%s: run alone: %v, %q", c.name, got, p.lab.below)
		}
	}
}

func every(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }

func never(int) bool { return false }

// Where other tests come before, all subtests run. A proof of one alone says so, for its replay.
func TestBelow(t *testing.T) {
	l := &Lab{Job: &Session{}, below: "/^a$"}
	for want, trial := range map[string]experiment.Trial{
		"^TestX$/^a$":     {},
		"^(TestA|TestX)$": {Before: []string{"TestA"}},
		"":                {Suite: true},
	} {
		if got := l.Selection("TestX", &trial).Run; got != want {
			t.Errorf("%+v: %q, want %q", trial, got, want)
		}
	}
	replayed := &Lab{Job: &Session{Config: Config{Sel: runner.Selection{Run: "^TestX$/^a$"}}}}
	held := experiment.Trial{Plan: freedom.Plan{Acts: freedom.Pins(1)}}
	if got := replayed.Selection("TestX", &held).Run; got != "^TestX$/^a$" {
		t.Errorf("replayed: %q", got)
	}
}
