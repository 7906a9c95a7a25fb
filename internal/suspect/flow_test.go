package suspect

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

const sending = `package p
func (m *mock) send(e *envelope) {
	e.items = append(e.items, 1)
	m.sent = append(m.sent, e)
	m.calls = 7
	m.log.Write(e.bytes())
}
func (m *mock) all() []*envelope {
	return m.sent
}
func (m *mock) text() string {
	return m.log.String()
}
func TestSend(t *testing.T) {
	m.flush()
	got := m.all()
	first := got
	if len(first) != 1 || len(first[0].items) != 1 {
		t.Error(m.calls)
	}
	if s := m.text(); s == "" {
		t.Error("nothing")
	}
	first = nil
	for _, e := range m.all() {
		if e == nil || m.flush() {
			t.Error(e)
		}
	}
}
`

// flowInput parts at a line of TestSend, after the methods that it calls were run.
func flowInput(line int, meanwhile ...int) Input {
	d := &divergence.Divergence{
		LastCommon: trace.Event(line), FailNext: trace.Event(line + 1), PassNext: trace.Event(line + 2),
		Table: divergence.Table{FailTaken: 9, PassNot: 11}, Path: []divergence.Call{{Block: line}},
	}
	for _, b := range []int{15, 16, 9, 12, 17, line} {
		d.Common = append(d.Common, divergence.Count{Block: b, N: 1})
	}
	return Input{
		Analysis: &divergence.Analysis{
			Chain:     []*divergence.Divergence{d},
			Meanwhile: []divergence.Meanwhile{{Own: true, Blocks: meanwhile}},
		},
		Sites:  flowSites(),
		Source: func(string) ([]byte, error) { return []byte(sending), nil },
		Check:  trace.Frame{File: "/m/p/a.go", Line: line + 1},
	}
}

func flowSites() *trace.Sites {
	s := lineSites(sending, [2]int{2, 7}, [2]int{8, 10}, [2]int{11, 13}, [2]int{14, 30})
	for i, name := range []string{"p.(*mock).send", "p.(*mock).all", "p.(*mock).text", "p.TestSend"} {
		s.Funcs[i].Name = name
	}
	return s
}

// What line 18 looks at comes from line 16 by way of a variable, and from line 9:
// that is changed in line 4, which says more than the calls of line 5 that the
// function mentions elsewhere. Line 21 looks at what is written in line 6, line 26 at
// what line 25 goes over.
func TestFlow(t *testing.T) {
	for _, c := range []struct {
		at        int
		meanwhile []int
		want      int
	}{
		{18, []int{4, 5}, 4},
		{18, []int{5}, 5},
		{21, []int{6, 5}, 6},
		{26, []int{4, 5}, 4},
		{18, []int{4, 3}, 3}, // which the line itself reads
	} {
		if got := firstLine(t, flowInput(c.at, c.meanwhile...)); got != c.want {
			t.Errorf("line %d, meanwhile %v: first suspect in line %d, want %d", c.at, c.meanwhile, got, c.want)
		}
	}
}

// Goroutines that were done had run lines 4 and 5 together, of which line 18 looks
// at what line 4 changes. If the failure is not in the next line, or if another one
// may still disturb it, that says nothing.
func TestInterleaved(t *testing.T) {
	in := flowInput(18)
	in.Analysis.Together = []int{4, 5}
	if got := firstLine(t, in); got != 4 {
		t.Errorf("first suspect in line %d, want 4", got)
	}
	in.Check.Line = 22
	if got := firstLine(t, in); got != 18 {
		t.Errorf("another check: first suspect in line %d, want 18", got)
	}
	in = flowInput(18, 6)
	in.Analysis.Together = []int{4, 5}
	if got := firstLine(t, in); got != 6 {
		t.Errorf("disturbed: first suspect in line %d, want 6", got)
	}
	in = flowInput(18)
	in.Analysis.Together = []int{5}
	if got := firstLine(t, in); got != 18 {
		t.Errorf("something else: first suspect in line %d, want 18", got)
	}
}
