package hunt

import (
	"context"
	"testing"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
)

// Tests of one name are told with their packages.
func TestNamesOf(t *testing.T) {
	of := func(pkg, name string) *Test {
		return &Test{Lab: &session.Lab{Target: runner.Target{ImportPath: pkg}}, SuiteTest: session.SuiteTest{Name: name}}
	}
	list := []*Test{of("m/a/q", "TestX"), of("m/b/q", "TestX"), of("m/b/q", "TestY")}
	if got, want := namesOf(list), "a/q.TestX, b/q.TestX, TestY"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A failure with nothing perturbed is always told by the exit code. What was provoked is one of hunt, and not of a run
// that goes on as a hunt.
func TestFound(t *testing.T) {
	caught := []*Catch{{Finding: &experiment.Finding{}}}
	plain := func(failed, of int) *experiment.Result {
		return &experiment.Result{Plain: proof.Count{Failed: failed, Of: of}}
	}
	for _, c := range []struct {
		name          string
		test          Test
		list          []*Catch
		races, others int
		ofHunt, ofRun bool
	}{
		{"nothing", Test{Result: plain(0, 20)}, nil, 0, 0, false, false},
		{"made to fail once", Test{Result: &experiment.Result{Open: &experiment.Finding{}}}, nil, 0, 0, false, false},
		{"provoked", Test{Result: plain(0, 20)}, caught, 0, 0, true, false},
		{"a data race", Test{Result: plain(0, 20)}, nil, 1, 0, true, false},
		{"fails now and then", Test{Result: plain(1, 20)}, nil, 0, 1, true, true},
		{"fails always", Test{Result: plain(20, 20)}, nil, 0, 0, true, true},
		{"fails always alone", Test{SuiteTest: session.SuiteTest{Status: runner.Passed}, Result: plain(20, 20)}, nil, 0, 1, true, false},
		{"fails always, and among others", Test{SuiteTest: session.SuiteTest{Status: runner.Failed}, Result: plain(20, 20)}, nil, 0, 1, true, true},
		{"failed in the first run", Test{SuiteTest: session.SuiteTest{Status: runner.Failed}, Result: plain(0, 20)}, nil, 0, 1, true, true},
		{"nothing was tried after that", Test{SuiteTest: session.SuiteTest{Status: runner.Crashed}}, nil, 0, 0, true, true},
	} {
		lab := &session.Lab{}
		c.test.Lab, c.test.Search, c.test.races = lab, &experiment.Experimenter{}, make([]finding.Race, c.races)
		j := &Hunt{Tests: []*Test{&c.test}}
		for range c.others {
			j.Tests = append(j.Tests, &Test{Lab: lab, Search: &experiment.Experimenter{}})
		}
		if got := j.found(c.list); got != c.ofHunt {
			t.Errorf("%s: hunt found %v", c.name, got)
		}
		interrupted, cancel := context.WithCancelCause(t.Context())
		cancel(&exit.InterruptError{})
		if got := j.code(interrupted, c.list, nil); got != exit.Interrupted {
			t.Errorf("%s: interrupted hunt ends with %d", c.name, got)
		}
		j.after = []*runner.Package{}
		if got := j.code(interrupted, c.list, nil); got != exit.If(c.ofRun, exit.Flaky) {
			t.Errorf("%s: run with an interrupted hunt ends with %d", c.name, got)
		}
		if got := j.found(c.list); got != c.ofRun {
			t.Errorf("%s: run found %v", c.name, got)
		}
	}
}
