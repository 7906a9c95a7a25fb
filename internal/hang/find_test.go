package hang

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// The program of these tests. The test starts a worker and waits for it; the
// worker has a way out that forgets the test.
const prog = `package p; import ("testing"; "time"); var c, stop chan int; func busy() bool { return false }
func TestX(t *testing.T) {
	go work(c)
	<-c
}
func work(c chan int) {
	if busy() {
		return
	}
	close(c)
	select { case <-stop: case <-time.After(1): }
}
`

const ms = int64(time.Millisecond)

// A scene makes runs of the program, as lists of what the goroutines did:
// "3" ran line 3, "wait@5:chan receive" began to wait at 5 ms, "on@9" went on then
// (by a timer: "on@9:timer"), "fail@20" failed a check and was ended by that, "end@30" ended.
type scene struct {
	t       *testing.T
	f       *finder
	block   map[string]int
	reasons []string
}

func newScene(t *testing.T) *scene {
	f, block := program(prog)
	return &scene{t, f, block, []string{"", "chan receive", "select", "sleep"}}
}

func (s *scene) run(n int, failed bool, test, worker string) Run {
	tr := &trace.Trace{Reasons: s.reasons, Tests: []trace.TestRun{{Name: "TestX"}}}
	g := s.goroutine(1, test)
	g.Root, tr.Tests[0].End = true, g.End
	tr.Goroutines = append(tr.Goroutines, g)
	if worker != "" {
		w := s.goroutine(2, worker)
		w.Spawn = trace.Frame{File: "/m/p.go", Line: 3}
		tr.Goroutines = append(tr.Goroutines, w)
	}
	return Run{N: n, Failed: failed, Trace: tr, Wall: 100 * time.Millisecond}
}

func (s *scene) goroutine(id trace.GoroutineID, text string) *trace.Goroutine {
	var events []trace.Event
	var stamps []trace.Stamp
	end := int64(0)
	for _, word := range strings.Split(text, ", ") {
		what, rest, timed := strings.Cut(word, "@")
		if !timed {
			events = append(events, trace.Event(s.block[what]))
			continue
		}
		var at int64
		at0, how, _ := strings.Cut(rest, ":")
		fmt.Sscan(at0, &at)
		st := trace.Stamp{Pos: int64(len(events)), Time: at * ms, GoesOn: what != "wait"}
		switch {
		case what == "end":
			end = at * ms
			continue
		case what == "fail":
			events = append(events, trace.CheckEvent(trace.CheckFailNow, 1))
		case how == "timer":
			st.Waker = trace.WakerTimer
		case what == "wait":
			for i, r := range s.reasons {
				if r == how {
					st.Reason = uint8(i)
				}
			}
		}
		stamps = append(stamps, st)
	}
	g := trace.NewGoroutine(id, "TestX", events)
	g.Start, g.End, g.Stamps = 1, end, stamps
	return g
}

func (s *scene) find(runs ...Run) *finding.Hang {
	in := s.f.Input
	in.Runs = runs
	return Find(in)
}

const (
	// In passing runs the test waits from 2 to 7 ms, until the worker, with its
	// third event, closes the channel.
	testPass   = "2, 3, 4, wait@2:chan receive, on@7, 5, end@8"
	workerPass = "6, 7, 10, 11, wait@9:select"
	testHangs  = "2, 3, 4, wait@2:chan receive"
)

func (s *scene) passing(n int) Run { return s.run(n, false, testPass, workerPass) }

// TestFailNow has the worker end before it has closed the channel: line 8 is where its function returns.
func TestFailNow(t *testing.T) {
	for worker, line := range map[string]int{
		"6, 7, 8, end@5":      0,
		"6, 7, fail@4, end@5": 7,
		"6, fail@4, 2, end@5": 6, // what it deferred comes last
		"6, 7, fail@4":        0,
	} {
		s := newScene(t)
		bad := s.run(3, true, testHangs, worker)
		bad.Kind = finding.HangTimeout
		h := s.find(s.passing(1), s.passing(2), bad)
		w := h.Waits[0]
		if !w.By.Root || w.At.Line != 4 || w.For != "c" || w.Reason != "chan receive" || w.Since != ms2(98) || w.Past != 2 || w.Failing != 1 {
			t.Errorf("%s: the test: %+v", worker, w)
		}
		if h.FailNow.Line != line {
			t.Errorf("%s: %+v, want line %d", worker, h.FailNow, line)
		}
	}
}

// A select whose cases call a function is where the goroutine waits, not the end of
// that function, and what the function has unlocked on its way out is not held.
func TestWaitPlace(t *testing.T) {
	const src = `package p
func TestX(t *testing.T) {
	j := start()
	select { case <-done(j): case <-stop: }
}
func done(j *job) chan bool {
	j.mu.Lock()
	defer j.mu.Unlock(); return j.c
}
func start() *job {
	return new(job)
}
`
	for _, c := range []struct {
		test, reason string
		line         int
		what         string
	}{
		{"2, 3, 10, 11, 4, 6, 7, 8, wait@2:select", "select", 4, "<-done(j) or <-stop"},
		{"2, 3, 10, 11, 4, 6, 7, wait@2:sync.Mutex.Lock", "sync.Mutex.Lock", 7, "j.mu"},
	} {
		s := newScene(t)
		s.f, s.block = program(src)
		s.reasons = append(s.reasons, "sync.Mutex.Lock")
		bad := s.run(2, true, c.test, "")
		bad.Kind, bad.Dump = finding.HangDeadlock, dumpOf(bad.Trace.Goroutines[0], c.line)
		h := s.find(s.run(1, false, "2, 3, 10, 11, 4, 6, 7, 8, 5, end@4", ""), bad)
		if h == nil || len(h.Waits) != 1 {
			t.Fatalf("%s: found %+v", c.reason, h)
		}
		if w := h.Waits[0]; w.At.Line != c.line || w.For != c.what || len(w.Holds) > 0 {
			t.Errorf("%s: found %+v", c.reason, w)
		}
	}
}

func ms2(n int64) time.Duration { return time.Duration(n * ms) }

// TestSameLock has fields of one name in two types.
func TestSameLock(t *testing.T) {
	f, block := program(`package p; import "sync"; type job struct{ mu sync.Mutex }; type other struct{ mu sync.Mutex }
func locks(j, k *job, o *other) {
	j.mu.Lock()
	o.mu.Lock()
	k.mu.Lock()
}
`)
	wanted := f.code.operandIn(block["5"], "sync.Mutex.Lock").op
	for line, want := range map[string]bool{"3": true, "4": false} {
		if got := f.code.same(&f.code.lockOps(block[line])[0], wanted); got != want {
			t.Errorf("is the lock in line %s that of line 5: got %v, want %v", line, got, want)
		}
	}
}

// A worker that waits at the end of passing runs too is benign, and comes last.
func TestBenign(t *testing.T) {
	s := newScene(t)
	bad := s.run(3, true, testHangs, workerPass)
	bad.Kind = finding.HangDeadlock
	// Here the test's end is after the worker began to wait.
	late := "2, 3, 4, wait@2:chan receive, on@7, 5, end@20"
	h := s.find(s.run(1, false, late, workerPass), s.run(2, false, late, workerPass), bad)
	if h == nil || len(h.Waits) != 2 || h.Waits[0].Benign || !h.Waits[1].Benign || h.Waits[1].Waiting != 2 {
		t.Fatalf("found %+v", h)
	}
	if h.Kind != finding.HangDeadlock || h.Waits[0].Since != ms2(7) {
		t.Errorf("%s after %v, want a deadlock as soon as the last one waits", h.Kind, h.Waits[0].Since)
	}
}

// TestLocks has a test that fails while two of its goroutines wait for each other's locks. They are told if each holds
// one meanwhile.
func TestLocks(t *testing.T) {
	const both, one, late = "5, 6, 7, wait@2:sync.Mutex.Lock", "5, 6, wait@2:sync.Mutex.Lock", "5, 6, 7, wait@60:sync.Mutex.Lock"
	for name, c := range map[string]struct {
		first, second string
		want          bool
	}{
		"in a circle":                {both, both, true},
		"not in a circle":            {both, "10, 11, 12, wait@2:sync.Mutex.Lock", false},
		"one holds none":             {both, one, false},
		"one after the test's end":   {both, late, false},
		"one waits for another sort": {both, "5, 6, 7, wait@2:chan receive", false},
	} {
		s := newScene(t)
		s.f, s.block = program(`package p; import ("sync"; "testing"); type acc struct { mu sync.Mutex }; type log struct { mu sync.Mutex }
func TestX(t *testing.T) {
	go move(a, b)
}
func move(from, to *acc) {
	from.mu.Lock()
	to.mu.Lock()
	to.mu.Unlock()
}
func note(l *log, a *acc) {
	l.mu.Lock()
	a.mu.Lock()
}
`)
		s.reasons = append(s.reasons, "sync.Mutex.Lock")
		bad := s.several(3, true, "2, 3, fail@40, end@52", c.first, c.second)
		bad.Kind = ""
		const ends = "5, 6, 7, 8, end@4"
		h := s.find(s.several(1, false, "2, 3, end@20", ends, ends), s.several(2, false, "2, 3, end@20", ends, ends), bad)
		if (h != nil) != c.want || h != nil && (h.Kind != finding.HangLocks || len(h.LockOrder) != 2 || h.Waits[0].At.Line != 7) {
			t.Errorf("%s: found %+v", name, h)
		}
	}
}

// TestLeak has a worker that the test ends in passing runs, and leaves in failing ones. Only what the test's check
// found is told of, whatever became of it later.
func TestLeak(t *testing.T) {
	const (
		works = "6, 7, 10, 11, wait@3:select"
		ended = works + ", on@12, end@13"
		test  = "2, 3, fail@40, end@52"
	)
	found := []runner.Dumped{{Number: 20, State: "select", Frames: []trace.Frame{{Func: "m/p.work", File: "/m/p.go", Line: 11}}}}
	for name, c := range map[string]struct {
		worker string
		number uint64
		want   bool
	}{
		"is left":       {works, 20, true},
		"goes on later": {works + ", on@60:timer, end@61", 20, true},
		"was not found": {works, 21, false},
		"has ended":     {works + ", on@30:timer, end@31", 20, false},
	} {
		s := newScene(t)
		bad := s.run(3, true, test, c.worker)
		bad.Kind, bad.Dump, bad.Trace.Goroutines[1].Number = finding.HangLeak, found, c.number
		h := s.find(s.run(1, false, "2, 3, 4, 5, end@20", ended), s.run(2, false, "2, 3, 4, 5, end@20", ended), bad)
		if !c.want {
			if h != nil && slices.ContainsFunc(h.Waits, func(w finding.Wait) bool { return w.Past > 0 }) {
				t.Errorf("%s: found %+v", name, h)
			}
			continue
		}
		if h == nil || h.Kind != finding.HangLeak || len(h.Waits) != 1 {
			t.Errorf("%s: found %+v", name, h)
			continue
		}
		w := h.Waits[0]
		if w.At.Line != 11 || w.Since != ms2(49) || w.Past != 2 || w.Failing != 1 || w.By.Started.Line != 3 {
			t.Errorf("%s: found %+v", name, w)
		}
	}
}

// A goroutine can never go on if each run that left it has noted that.
func TestStuck(t *testing.T) {
	for name, c := range map[string]struct {
		noted [2]int64 // the goroutines of two failing runs, by number
		want  bool
	}{
		"both runs":       {[2]int64{20, 20}, true},
		"one run":         {[2]int64{20, 0}, false},
		"another of both": {[2]int64{21, 21}, false},
	} {
		s := newScene(t)
		runs := []Run{s.run(1, false, "2, 3, 4, 5, end@20", "6, 7, 10, 11, wait@3:select, on@12, end@13")}
		for i, number := range c.noted {
			bad := s.run(2+i, true, "2, 3, fail@40, end@52", "6, 7, 10, 11, wait@3:select")
			bad.Kind, bad.Trace.Goroutines[1].Number = finding.HangLeak, 20
			bad.Dump = []runner.Dumped{{Number: 20, State: "select", Frames: []trace.Frame{{Func: "m/p.work", File: "/m/p.go", Line: 11}}}}
			bad.Trace.Notes = []trace.Note{{Kind: trace.ActGC, Value: 20}, {Kind: trace.ActStuck, Value: number}}
			runs = append(runs, bad)
		}
		if h := s.find(runs...); h == nil || len(h.Waits) != 1 || h.Waits[0].Failing != 2 || h.Waits[0].Stuck != c.want {
			t.Errorf("%s: found %+v", name, h)
		}
	}
}

// Of the dump the exact line is taken.
func TestDump(t *testing.T) {
	s := newScene(t)
	bad := s.run(3, true, testHangs, "6, 7, wait@5:select")
	bad.Kind = finding.HangTimeout
	bad.Trace.Goroutines[0].Number, bad.Trace.Goroutines[1].Number = 18, 20
	bad.Dump = runner.ParseDump(`panic: test timed out after 1s

goroutine 1 [chan receive]:
testing.(*T).Run(0xc000003dc0)
	/go/src/testing/testing.go:1750 +0x3ab
main.main()
	_testmain.go:47 +0xaa

goroutine 18 [chan receive]:
m/p.TestX(0xc000003dc0)
	/m/p.go:4 +0x1d
testing.tRunner(0xc000003dc0)
	/go/src/testing/testing.go:1690 +0xf4
created by testing.(*T).Run in goroutine 1
	/go/src/testing/testing.go:1743 +0x390

goroutine 20 [select, 2 minutes]:
m/p.work(0xc000012345)
	/m/p.go:11 +0x1d
created by m/p.TestX in goroutine 18
	/m/p.go:3 +0x25
`)
	h := s.find(s.passing(1), bad)
	if h == nil || len(h.Waits) != 2 || h.Waits[0].At.Line != 4 {
		t.Fatalf("found %+v", h)
	}
	if w := h.Waits[1]; w.By.Root || w.At.Line != 11 || w.For != "<-stop or <-time.After(1)" {
		t.Errorf("found %+v", w)
	}
}

// Runs that did not hang are no hang.
func TestNoHang(t *testing.T) {
	s := newScene(t)
	bad := s.run(2, true, "2, 3, 4, wait@2:chan receive, on@7, 5, fail@8, end@9", workerPass)
	if h := s.find(s.passing(1), bad); h != nil {
		t.Errorf("found %+v", h)
	}
	if h := s.find(s.passing(1)); h != nil {
		t.Errorf("without failing runs: %+v", h)
	}
}

// TestBubble has a test that waits for its bubble (package synctest), in which a goroutine waits for a time that is not
// real. Told are the goroutines in it, and how long the one outside waits.
func TestBubble(t *testing.T) {
	s := newScene(t)
	s.reasons = append(s.reasons, "synctest.Run", "select (durable)")
	const test = "2, 3, 4, wait@1:synctest.Run, on@3:timer, wait@3:synctest.Run"
	run := func(n int, failed bool, end, bubble, other string) Run {
		r := s.run(n, failed, test+end, bubble)
		g := s.goroutine(3, other)
		g.Spawn = trace.Frame{File: "/m/p.go", Line: 4}
		r.Trace.Goroutines = append(r.Trace.Goroutines, g)
		return r
	}
	pass := run(1, false, ", on@9, 5, end@9", "6, 7, 10, 11, wait@4:select (durable), on@6, end@8", "6, 7, wait@2:chan receive, on@5:timer, 10, end@6")
	bad := run(2, true, "", "6, 7, 10, 11, wait@4:select (durable)", "6, 7, wait@2:chan receive")
	bad.Kind = finding.HangDeadlock
	h := s.find(pass, bad)
	if h == nil || len(h.Waits) != 2 {
		t.Fatalf("found %+v", h)
	}
	if w := h.Waits[0]; w.By.Root || w.Reason != "select" || w.At.Line != 11 || w.Since != 0 || w.Failing != 1 || w.Past != 1 {
		t.Errorf("in the bubble: %+v", w)
	}
	if w := h.Waits[1]; w.By.Started.Line != 4 || w.Reason != "chan receive" || w.Since != ms2(2) {
		t.Errorf("outside: %+v", w)
	}
}

// several makes a run in which the test starts workers in the same place.
func (s *scene) several(n int, failed bool, test string, workers ...string) Run {
	r := s.run(n, failed, test, "")
	for i, text := range workers {
		w := s.goroutine(trace.GoroutineID(2+i), text)
		w.Spawn, w.Start = trace.Frame{File: "/m/p.go", Line: 3}, int64(1+i)
		r.Trace.Goroutines = append(r.Trace.Goroutines, w)
	}
	if failed {
		r.Kind = finding.HangTimeout
	}
	return r
}

// In passing runs the first of two workers that are started alike ends before it comes to where it waits in the
// failing one, and the second comes past there: which of them it is is chance.
func TestAlikeCameThere(t *testing.T) {
	s := newScene(t)
	var runs []Run
	for i := range 2 {
		r := s.several(i+1, false, testPass, "6, end@4", workerPass)
		runs = append(runs, r)
	}
	h := s.find(append(runs, s.several(3, true, testHangs, "6, 7, wait@3:sleep", "6, 7, 8, end@5"))...)
	if h == nil || len(h.Waits) < 2 {
		t.Fatalf("found %+v", h)
	}
	if w := h.Waits[1]; w.Past != 2 || w.Never != 0 {
		t.Errorf("the worker: %+v", w)
	}
}
