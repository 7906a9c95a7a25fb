package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// TestEachKindHasDoses compares the kinds that are tried with the catalogue.
func TestEachKindHasDoses(t *testing.T) {
	for _, k := range freedom.Settable() {
		if doseMakers[k.Name] == nil && k.Tries == nil {
			t.Errorf("kind %s has no doses", k.Name)
		}
	}
	for name := range doseMakers {
		if !slices.ContainsFunc(freedom.Settable(), func(k *freedom.Freedom) bool { return k.Name == name }) {
			t.Errorf("doses of %s, which is no kind", name)
		}
	}
}

// at is a position of a test.
func at(test string, class uint64) position {
	return position{test, freedom.Position{G: freedom.Goroutine{Class: class}, Event: 5, Block: 7}}
}

func TestDoses(t *testing.T) {
	lone := &survey{tests: []string{"TestA"}, positions: []position{at("TestA", 1)}, events: 100}
	pair := &survey{tests: []string{"TestA"}, positions: []position{at("TestA", 1), at("TestA/b", 2)}, events: 100}
	strangers := &survey{positions: []position{at("TestA", 1), at("TestB", 2)}, events: 100}
	asks := func(kinds ...trace.ActKind) *survey {
		s := &survey{tests: []string{"TestA"}}
		for i, k := range kinds {
			s.draws = append(s.draws, trace.Draw{Kind: k, Block: uint32(i + 1)}, trace.Draw{Kind: k, Block: uint32(i + 1), Class: 9})
		}
		return s
	}
	for _, tt := range []struct {
		name, kind string
		s          *survey
		want       string // the names of the doses
	}{
		{"a goroutine is held", "stall", lone, "1 positions, 20ms; 1 positions, 5ms"},
		{"nobody is there", "stall", asks(), ""},
		{"one goroutine has no order", "order", lone, ""},
		{"nor have those of two tests", "order", strangers, ""},
		{"maps are not ranged over", "map", lone, ""},
		{"maps are", "map", asks(trace.ActMap), "a seed; a seed"},
		{"no timers", "timer", lone, ""},
		{"one timer, of two classes", "timer", asks(trace.ActTimer), "5ms late at 1 blocks; 30ms late at 1 blocks; 120ms late at 1 blocks"},
		{"reads of one of two blocks", "read", asks(trace.ActDir, trace.ActRead), "at most 1 bytes at 1 blocks; at most 16 bytes at 1 blocks"},
		{"directories", "dir", asks(trace.ActDir, trace.ActRead), "tried at 1 blocks; tried at 1 blocks"},
		{"nobody asks for the home directory", "limits", asks(), "few files"},
		{"the home directory", "limits", asks(trace.ActHome), "few files; new HOME; no HOME"},
		{"the clock is not read", "clock", lone, ""},
		{"shuffled and alone", "tests", pair, "alone; shuffled; shuffled"},
	} {
		var names []string
		for _, d := range tt.s.doses(tt.kind, 1, 2) {
			if names = append(names, d.name); d.kind != tt.kind {
				t.Errorf("%s: a dose of %s", tt.name, d.kind)
			}
		}
		if got := strings.Join(names, "; "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for _, d := range pair.doses("order", 1, 1) {
		for _, o := range d.plan.Of(freedom.Step.Orders) {
			if o.At.G == o.Until.G {
				t.Error("a goroutine waits for itself")
			}
		}
	}
}

// TestOneClock checks that tests that see another clock are left out if the program's clock
// differs, and only then.
func TestOneClock(t *testing.T) {
	s := &survey{tests: []string{"TestA"}, another: []string{"TestStat"}, draws: []trace.Draw{{Kind: trace.ActClock, Block: 1}}}
	n := 0
	for _, d := range s.doses("clock", 1, 1) {
		differs := d.plan.Does(freedom.Step.Differs)
		if differs {
			n++
		}
		if left := slices.Contains(d.skip, "TestStat"); left != differs {
			t.Errorf("%s: left out %v", d.name, left)
		}
	}
	if n == 0 {
		t.Error("no dose has another clock")
	}
}

func TestSeesAnother(t *testing.T) {
	classes := map[uint64]string{1: "TestA/b", 2: "TestB", 3: ""}
	for _, tt := range []struct {
		draws []trace.Draw
		want  string
	}{
		{nil, ""},
		{[]trace.Draw{{Kind: trace.ActClock, Class: 1}}, ""},
		{[]trace.Draw{{Kind: trace.ActProcess, Class: 1}, {Kind: trace.ActKernel, Class: 1}}, "TestA"},
		{[]trace.Draw{{Kind: trace.ActKernel, Class: 2}, {Kind: trace.ActKernel, Class: 3}}, "TestB"},
	} {
		if got := strings.Join(seesAnother(tt.draws, classes), " "); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.draws, got, tt.want)
		}
	}
}

func TestEffect(t *testing.T) {
	set := planOf
	pin := func(k trace.ActKind) freedom.Plan { return planOf(freedom.Pin(k, 0, 0)) }
	drew := func(k trace.ActKind, block uint32) *trace.Trace {
		return &trace.Trace{Draws: []trace.Draw{{Kind: k, Block: block}}}
	}
	act := func(applied bool) *trace.Trace { return &trace.Trace{Acts: []trace.Act{{Applied: applied}}} }
	for _, tt := range []struct {
		name string
		p    freedom.Plan
		t    *trace.Trace
		want effect
	}{
		{"held", freedom.Plan{}, act(true), effect{true, true}},
		{"missed", freedom.Plan{}, act(false), effect{false, true}},
		{"a pin of what was drawn", pin(trace.ActMap), drew(trace.ActMap, 1), effect{true, true}},
		{"a pin of something else", pin(trace.ActMap), drew(trace.ActSelect, 1), effect{false, true}},
		{"the block asked", set(freedom.Late(3, 1)), drew(trace.ActTimer, 3), effect{true, true}},
		{"another block asked", set(freedom.Late(3, 1)), drew(trace.ActTimer, 4), effect{false, true}},
		{"always", set(freedom.Files(256)), &trace.Trace{}, effect{true, true}},
		{"a coarse clock beside that of a process", set(freedom.Grain(1)), drew(trace.ActProcess, 4), effect{false, false}},
		{"a late timer beside a process", set(freedom.Late(3, 1)), drew(trace.ActProcess, 3), effect{false, true}},
	} {
		if got := effectOf(&tt.p, tt.t); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

func TestChanged(t *testing.T) {
	run := func(outcomes ...*runner.Outcome) *runner.Run { return &runner.Run{Outcomes: outcomes} }
	is := func(test string, s runner.Status, message string) *runner.Outcome {
		return &runner.Outcome{Test: test, Status: s, Message: message}
	}
	k := &kindRun{base: newObservations()}
	k.base.add(false, run(is("TestA", runner.Passed, ""), is("TestFlaky", runner.Passed, "")), false)
	k.base.add(false, run(is("TestA", runner.Passed, ""), is("TestFlaky", runner.Failed, "")), false)
	for _, tt := range []struct {
		name string
		o    *runner.Outcome
		want int
	}{
		{"passes", is("TestA", runner.Passed, ""), 0},
		{"fails", is("TestA", runner.Failed, "want 1"), 1},
		{"fails without, too", is("TestFlaky", runner.Failed, "want 1"), 0},
		{"is skipped", is("TestA", runner.Skipped, ""), 0},
		{"sees who is held", is("TestA", runner.Failed, "leak: goroutine 7 [held by fdebug]"), 0},
		{"happened to be running", &runner.Outcome{Test: "TestA", Status: runner.Crashed, Shared: true}, 0},
	} {
		if got := k.changed(&dose{}, run(tt.o), false); len(got) != tt.want {
			t.Errorf("%s: %d changes, want %d", tt.name, len(got), tt.want)
		}
	}
}

func TestParseKinds(t *testing.T) {
	for list, want := range map[string]string{"timer": "timer", "stall,timer": "timer stall", "race": "race", "speed": "error", "timer,speed": "error"} {
		kinds, err := parseKinds(list)
		got := strings.Join(kinds, " ")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", list, got, want)
		}
	}
	if all, err := parseKinds("all"); len(all) != len(freedom.Settable()) || err != nil {
		t.Errorf("all: %q, %v", all, err)
	}
}

// TestKinds runs the program on a test that needs more files than a process may have, one that
// allows a timer 110 ms, and one that never fails.
func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	dir := module(t, `package m

import (
	"os"
	"testing"
	"time"
)

func TestSame(t *testing.T) {
	<-time.After(time.Millisecond)
}

func TestManyFiles(t *testing.T) {
	for range 300 {
		f, err := os.Open("go.mod")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
}

func TestImpatient(t *testing.T) {
	began := time.Now()
	<-time.After(time.Millisecond)
	if time.Since(began) > 110*time.Millisecond {
		t.Error("too late")
	}
}
`)
	var out, progress bytes.Buffer
	began := time.Now()
	status, err := run(t.Context(), []string{"-dir", dir, "-kinds", "limits,timer,dir"}, &out, &progress)
	if err != nil || status != 1 {
		t.Errorf("status %d, %v", status, err)
	}
	for _, want := range []string{
		"| timer | 1 | 3 | 3 | 3 | 9 | 1 | 1 |",
		"| dir | 0 | 0 | 0 | 0 | 0 | 0 | 0 |",
		"| limits | 1 | 3 | 1 | 1 | 3 | 1 | 1 |",
		"m TestImpatient: timer (120ms late at 2 blocks): alone 5 of 5, without 0 of 5: too late",
		"m TestManyFiles: limits (few files): alone 5 of 5, without 0 of 5: open go.mod: too many open files",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s%safter %v", out.String(), progress.String(), time.Since(began))
	}
}
