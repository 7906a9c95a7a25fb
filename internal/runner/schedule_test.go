package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A simulated session takes runs from the schedule and ends them at once, in the order of their
// ends. Nothing is built or executed.
type simulated struct {
	*session
	clock time.Duration
	walls map[string]time.Duration // how long a run takes, by package
	fails map[string]bool          // packages whose runs all fail
	hangs bool                     // the next run does
	// onlyTraced says that control runs pass.
	onlyTraced bool
	running    []simulatedRun
	order      []string // "a1": the first run of a began
}

type simulatedRun struct {
	p       *packageRun
	j       job
	ends    time.Duration
	release func()
}

func simulate(r *Runner, packages ...string) *simulated {
	x := &simulated{walls: make(map[string]time.Duration), fails: make(map[string]bool)}
	began := time.Now()
	r.Exec.now = func() time.Time { return began.Add(x.clock) }
	r.Plain = &Build{GoCmd: "go"}
	for _, name := range packages {
		r.Packages = append(r.Packages, Target{ImportPath: name})
		x.walls[name] = time.Second
	}
	s, err := newSession(r)
	if err != nil {
		panic(err)
	}
	x.session = s
	for _, p := range s.packages {
		p.built = true
		p.pkg.Plain = &Binary{}
	}
	s.built = true
	return x
}

// run makes all runs until a time, or until there are none.
func (x *simulated) run(until time.Duration) {
	for x.clock < until {
		for p, j, release := x.pick(); p != nil; p, j, release = x.pick() {
			name := p.pkg.ImportPath
			x.order = append(x.order, fmt.Sprintf("%s%d", name, j.n))
			x.running = append(x.running, simulatedRun{p, j, x.clock + x.walls[name], release})
		}
		if len(x.running) == 0 {
			return
		}
		slices.SortStableFunc(x.running, func(a, b simulatedRun) int { return int(a.ends - b.ends) })
		if x.running[0].ends > until {
			x.clock = until
			return
		}
		x.end(x.running[0])
		x.running = x.running[1:]
	}
}

func (x *simulated) end(r simulatedRun) {
	wall := x.walls[r.p.pkg.ImportPath]
	x.clock = r.ends
	run := &Run{N: r.j.n, Control: r.j.control, Wall: wall, Whole: r.j.whole, Exit: Exit{TimedOut: x.hangs}, Outcomes: []*Outcome{{Test: "TestX", Status: Passed}}}
	if x.fails[r.p.pkg.ImportPath] && !(x.onlyTraced && r.j.control) {
		run.Outcomes[0].Status = Failed
	}
	r.p.add(run)
	x.ended(r.p, wall)
	r.release()
}

func (x *simulated) told() string { return strings.Join(x.order, " ") }

// Each package is run once before any is run a second time, and a package never has two runs
// under way.
func TestBreadthFirst(t *testing.T) {
	x := simulate(&Runner{N: 3, Slots: &Slots{Most: 2}}, "a", "b", "c")
	x.run(time.Hour)
	if want := "a1 b1 c1 a2 b2 c2 a3 b3 c3"; x.told() != want {
		t.Errorf("got  %s\nwant %s", x.told(), want)
	}
	if n := x.results.Rounds(); n != 3 {
		t.Errorf("%d rounds, want 3", n)
	}
}

// While a package is slow, the others go on.
func TestSlowPackage(t *testing.T) {
	x := simulate(&Runner{N: 3, Slots: &Slots{Most: 2}}, "a", "b", "c")
	x.walls["a"] = 10 * time.Second
	x.run(9 * time.Second)
	if want := "a1 b1 c1 b2 c2 b3 c3"; x.told() != want {
		t.Errorf("got  %s\nwant %s", x.told(), want)
	}
	if p := x.sofar(); p.Rounds != 0 || p.Begun != 2 || p.Left != 0 {
		t.Errorf("got %+v while the first run of a package is under way", p)
	}
	x.run(11 * time.Second)
	if p := x.sofar(); p.Rounds != 1 || p.Begun != 3 || p.Left < 19*time.Second || p.Left > 21*time.Second {
		t.Errorf("got %+v, want about 20 s for two more runs of a", p)
	}
}

// A package with a failed run gets more runs than others, for half of the time. How many rounds
// all packages had is known.
func TestAhead(t *testing.T) {
	stop := time.Now().Add(12500 * time.Millisecond)
	x := simulate(&Runner{N: 50, Slots: &Slots{Most: 1}, Stop: stop}, "a", "b", "c")
	x.fails["b"] = true
	x.run(time.Hour)
	// After b2 it is ahead, for 1 of 5 s after b3, 4 of 8 s after b6 and 5 of 9 s after b7.
	if want := "a1 b1 c1 b2 b3 b4 b5 b6 b7 a2 b8 c2 b9"; x.told() != want {
		t.Errorf("got  %s\nwant %s", x.told(), want)
	}
	if n := x.results.Rounds(); n != 2 {
		t.Errorf("%d rounds, want 2", n)
	}
}

// A package known to be flaky from before is also ahead, and is run first.
func TestLikely(t *testing.T) {
	likely := func(importPath string) bool { return importPath == "c" }
	x := simulate(&Runner{N: 3, Slots: &Slots{Most: 1}, Likely: likely}, "a", "b", "c")
	x.run(time.Hour)
	if want := "c1 a1 b1 c2 c3 a2 b2 a3 b3"; x.told() != want {
		t.Errorf("got  %s\nwant %s", x.told(), want)
	}
}

// After the time is up, packages that never ran still do.
func TestFirstRunsAfterStop(t *testing.T) {
	x := simulate(&Runner{N: 50, Slots: &Slots{Most: 1}, Stop: time.Now().Add(1500 * time.Millisecond)}, "a", "b", "c")
	x.run(time.Hour)
	if want := "a1 b1 c1"; x.told() != want {
		t.Errorf("got  %s\nwant %s", x.told(), want)
	}
}

// Control runs begin when a run has failed, and are spread over the others.
func TestControlsWhenFailed(t *testing.T) {
	x := simulate(&Runner{N: 6, Controls: 3, Traced: &Build{}, Compact: nil, Slots: &Slots{Most: 1}}, "a")
	x.packages[0].pkg.Traced = &Binary{}
	x.fails["a"] = true
	x.run(time.Hour)
	if want := "a1 a1 a2 a3 a2 a4 a5 a3 a6"; x.told() != want {
		t.Errorf("got  %s\nwant %s", x.told(), want)
	}
}

// Where all recorded runs fail and no control run does, there are as many of these as it takes to tell: 1 of
// C(9, 3) = 84 orders is too likely, and 1 of C(10, 4) = 210 is not. If a control run fails too, nothing is open.
func TestMoreControls(t *testing.T) {
	for _, c := range []struct {
		n          int
		onlyTraced bool
		want       string
	}{
		{6, true, "a1 a1 a2 a3 a2 a4 a5 a3 a6 a4"},
		{6, false, "a1 a1 a2 a3 a2 a4 a5 a3 a6"},
		{1, true, "a1 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23"},
	} {
		x := simulate(&Runner{N: c.n, Controls: 3, Traced: &Build{}, Slots: &Slots{Most: 1}}, "a")
		x.packages[0].pkg.Traced, x.fails["a"], x.onlyTraced = &Binary{}, true, c.onlyTraced
		x.run(time.Hour)
		if x.told() != c.want {
			t.Errorf("%d runs, only recorded ones fail %v: got %s\nwant %s", c.n, c.onlyTraced, x.told(), c.want)
		}
	}
}

// If runs are divided, those that fail may be elsewhere. Control runs are made whatever the runs
// made here do.
func TestControlsDivided(t *testing.T) {
	x := simulate(&Runner{N: 6, Controls: 3, Traced: &Build{}, Has: func(n int) bool { return n%2 == 1 }, Slots: &Slots{Most: 1}}, "a")
	x.packages[0].pkg.Traced = &Binary{}
	x.run(time.Hour)
	if want := "a1 a1 a3 a5 a3"; x.told() != want { // the first a1 and the last a3 are control runs
		t.Errorf("got  %s\nwant %s", x.told(), want)
	}
}

// Stop ends no run under way: a package whose tests take minutes runs to the end.
func TestStopEndsNoRun(t *testing.T) {
	x := simulate(&Runner{N: 50, Stop: time.Now().Add(5 * time.Minute)}, "a")
	if left, _ := x.packages[0].exec.pace.left(time.Now().Add(-time.Hour), false, false); left <= 0 {
		t.Error("a first run is stopped because it takes long")
	}
}

// TestLayers builds packages whose binaries have the same name one after the other.
func TestLayers(t *testing.T) {
	var all []Target
	for _, name := range []string{"m/a", "m/b", "m/x/a", "m/c", "m/c/v2", "m/d/v1", "m/v10", "m/y/a"} {
		all = append(all, Target{ImportPath: name})
	}
	var got []string
	for _, list := range Layers(all) {
		var names []string
		for _, t := range list {
			names = append(names, t.ImportPath)
		}
		got = append(got, strings.Join(names, " "))
	}
	if want := []string{"m/a m/b m/c m/d/v1 m/v10", "m/x/a m/c/v2", "m/y/a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
