package hunt

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A hunt after runs without a failure takes as long as experiments may. One of a single package goes on while there are
// places to hold a goroutine at. -budget bounds it, and -experiments says how long it takes.
func TestHuntTime(t *testing.T) {
	const s = time.Second
	now := time.Unix(1e9, 0)
	for _, c := range []struct {
		name         string
		packages     int
		ran          time.Duration
		experiments  time.Duration // below 0 if nobody says
		left         time.Duration // of -budget, 0 without one
		rev          string
		limit, usual time.Duration
	}{
		{"a package", 1, 2 * s, -1, 0, "", 180 * s, 30 * s},
		{"a package that takes long", 1, 250 * s, -1, 0, "", 250 * s, 250 * s},
		{"several", 3, 2 * s, -1, 0, "", 30 * s, 30 * s},
		{"several that take long", 3, 900 * s, -1, 0, "", 300 * s, 300 * s},
		{"what has changed", 1, 2 * s, -1, 0, "main", 30 * s, 30 * s},
		{"a short budget", 1, 2 * s, -1, 20 * s, "", 20 * s, 20 * s},
		{"a long budget", 1, 2 * s, -1, 1000 * s, "", 180 * s, 30 * s},
		{"several and a long budget", 3, 2 * s, -1, 1000 * s, "", 30 * s, 30 * s},
		{"a budget that is spent", 1, 2 * s, -1, -3 * s, "", -3 * s, -3 * s},
		{"more than by default", 1, 2 * s, 600 * s, 0, "", 600 * s, 600 * s},
		{"more, within a budget", 3, 2 * s, 600 * s, 90 * s, "", 90 * s, 90 * s},
		{"none", 1, 2 * s, 0, 1000 * s, "", 0, 0},
	} {
		j := &session.Session{Config: session.Config{Experiments: c.experiments, Rev: c.rev}}
		j.Plan = &instrument.Plan{Packages: make([]instrument.Package, c.packages)}
		if c.left != 0 {
			j.Budget = session.Budget{Whole: 1100 * s, Began: now.Add(c.left - 1100*s)}
		}
		if limit, usual := huntTime(j, c.ran, now); limit != c.limit || usual != c.usual {
			t.Errorf("%s: %v, %v of it for all; want %v, %v", c.name, limit, usual, c.limit, c.usual)
		}
	}
}

// After runs in which some tests failed, at least once and in whatever run, the others are hunted.
func TestOthers(t *testing.T) {
	run := func(control bool, outcomes ...string) *runner.Run {
		r := &runner.Run{Control: control}
		for _, o := range outcomes {
			name, status, _ := strings.Cut(o, " ")
			r.Outcomes = append(r.Outcomes, &runner.Outcome{Test: name, Status: runner.Status(status)})
		}
		return r
	}
	of := func(path string, runs ...*runner.Run) *runner.Package {
		return &runner.Package{Target: runner.Target{ImportPath: path}, Runs: runs}
	}
	a := of("m/a", run(false, "TestA pass", "TestB pass", "TestC/x fail", "TestC fail", "TestS skip"))
	a.Controls = []*runner.Run{run(true, "TestA fail", "TestB pass")}
	b := of("m/b", run(false, "TestB pass", "TestB/y pass", "TestC pass"), run(false, "TestB pass", " crash"))
	failed, others := outcomes(&runner.Results{Packages: []*runner.Package{a, b}})
	if !slices.Equal(failed, []string{"", "TestA", "TestC"}) || others != 2 {
		t.Errorf("%q failed, and %d others", failed, others)
	}
	j := &session.Session{Console: &session.Console{}, Config: session.Config{Rev: "main"}}
	j.Plan = &instrument.Plan{Sites: &trace.Sites{}}
	if o := onward(j); !strings.HasSuffix(o.Typed("hunt"), " -changed=main") {
		t.Error(o.Typed("hunt"))
	}
	for skip, want := range map[string]string{"": "^(TestA|TestC)$", "TestS/slow": "TestS/slow|^(TestA|TestC)$"} {
		if got := skipping(skip, slices.Clone(failed)); got != want {
			t.Errorf("beside %q: %s, want %s", skip, got, want)
		}
		if got := skipping(skip, []string{""}); got != skip {
			t.Errorf("beside %q, where a package failed: %s", skip, got)
		}
	}
}
