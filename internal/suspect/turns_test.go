package suspect

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

const inheriting = `package p
var current = newConfig()
func reset() {
	current = newConfig()
}
func age() int {
	return current.get("age")
}
func TestAge(t *testing.T) {
	setDefault("age", 45)
	if age() != 45 {
		t.Error("age")
	}
}
`

// inheritingInput is TestAge, which parts at line 11, having run line 7. TestA or
// TestB, by turns, was the last to run line 4 before.
func inheritingInput(fails func(run int) bool) Input {
	g := trace.NewGoroutine(1, "TestAge", []trace.Event{10, 7, 11, 12})
	g.Root = true
	d := &divergence.Divergence{
		Goroutine: g, CommonPrefix: 3, LastCommon: 11, FailNext: 12, PassNext: 13,
		Path: []divergence.Call{{Block: 11}, {Block: 7}}, Table: divergence.Table{FailTaken: 10, PassNot: 10},
		Common: []divergence.Count{{Block: 10, N: 1}, {Block: 7, N: 1}, {Block: 11, N: 1}},
	}
	l := &divergence.LastTests{Names: []string{"", "TestA", "TestB"}, Turn: map[int][]divergence.Turn{4: nil}}
	for run := range 20 {
		l.Failed = append(l.Failed, fails(run))
		l.Turn[4] = append(l.Turn[4], divergence.Turn{Place: 1, Test: int32(1 + run%2)})
	}
	return Input{
		Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{d}, LastTests: l},
		Sites:    lineSites(inheriting, [2]int{3, 5}, [2]int{6, 8}, [2]int{9, 14}),
		Source:   func(string) ([]byte, error) { return []byte(inheriting), nil },
		Check:    trace.Frame{File: "/m/p/a.go", Line: 12},
	}
}

// TestAge fails when TestA was the last to reset: it begins (10) with what is there.
func TestTurns(t *testing.T) {
	got := Find(inheritingInput(func(run int) bool { return run%2 == 0 }))[0]
	if want := "TestA (10) in failing runs, and TestB (10) in passing runs"; got.Start != 10 || got.Score != 0.97 || !strings.Contains(got.Why, want) {
		t.Errorf("got %+v, want line 10, %s", got, want)
	}
}

// If the outcome has nothing to do with who it was, that is a last resort, and
// none if another goroutine, a value from chance or the test itself may decide.
func TestTurnsByChance(t *testing.T) {
	chance := func(run int) bool { return run%4 < 2 }
	if got := Find(inheritingInput(chance))[0]; got.Start != 10 || got.Score != 0.815 || !strings.Contains(got.Why, "left in current") {
		t.Errorf("got %+v, want line 10 as a last resort", got)
	}
	for name, change := range map[string]func(*Input){
		"another goroutine": func(in *Input) { in.Analysis.Meanwhile = []divergence.Meanwhile{{Own: true, Blocks: []int{4}}} },
		"chance": func(in *Input) {
			in.Data = []finding.DataDivergence{{At: trace.Frame{File: "/m/p/a.go", Line: 7}, Source: "math/rand", Sure: true}}
		},
		"set anew": func(in *Input) {
			d := in.Analysis.Chain[0]
			d.Common = append(d.Common, divergence.Count{Block: 4, N: 1})
		},
		"set by none": func(in *Input) { in.Analysis.LastTests.Turn = map[int][]divergence.Turn{7: nil} },
	} {
		in := inheritingInput(chance)
		change(&in)
		for _, s := range Find(in) {
			if s.Start == 10 {
				t.Errorf("%s: got %+v", name, s)
			}
		}
	}
}

func TestSomeTests(t *testing.T) {
	for want, list := range map[string][]divergence.TestCount{
		"none (2)":                        {{Test: "", N: 2}},
		"A (3) or B (1)":                  {{Test: "A", N: 3}, {Test: "B", N: 1}},
		"A (3), B (1), C (1) or D (1)":    {{Test: "A", N: 3}, {Test: "B", N: 1}, {Test: "C", N: 1}, {Test: "D", N: 1}},
		"A (3), B (1), C (1) or 2 others": {{Test: "A", N: 3}, {Test: "B", N: 1}, {Test: "C", N: 1}, {Test: "D", N: 1}, {Test: "E", N: 1}},
	} {
		if got := someTests(list); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
