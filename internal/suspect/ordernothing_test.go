package suspect

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

const counted = `package p
func (q *Queue) work() {
	idle := len(q.old) == 0
	idle = len(q.jobs) == 0
	q.unlock()
	if idle {
		q.close()
	}
	idle = q.late
}
func TestX(t *testing.T) {
	q.jobs = append(q.jobs, 1)
	q.log()
}
`

// TestX changes what decides in line 12, at about that time. That it had not yet
// run line 13 then, which changes nothing, goes with the outcome, but says less.
// Had it not yet run line 12, that would be all.
func TestOrderThatChangesNothing(t *testing.T) {
	table := divergence.Table{FailTaken: 4, PassNot: 9}
	g := trace.NewGoroutine(2, "TestX", []trace.Event{6, 7})
	in := Input{
		Sites:  lineSites(counted, [2]int{2, 10}, [2]int{11, 14}),
		Source: func(string) ([]byte, error) { return []byte(counted), nil },
	}
	order := func(b int) []divergence.Order {
		return []divergence.Order{{
			Late: true, Block: b, Table: table, Missing: []divergence.Missed{{Block: b, N: 1}},
			Fail: divergence.OrderRun{Anchor: g, AnchorPos: 1},
		}}
	}
	in.Analysis = &divergence.Analysis{
		Chain:     []*divergence.Divergence{{LastCommon: 6, FailNext: 7, PassNext: 9, Table: table, Path: []divergence.Call{{Block: 6}}}},
		Orders:    order(13),
		Meanwhile: []divergence.Meanwhile{{Own: true, Blocks: []int{12, 13}}},
	}
	if got := lines(Find(in)[:2]); got != "p/a.go:12 p/a.go:13" {
		t.Errorf("got %s, want lines 12 and 13", got)
	}
	in.Analysis.Orders = order(12)
	if got := Find(in)[0]; got.Start != 12 || !strings.Contains(got.Why, "had not yet run this") {
		t.Errorf("got %+v, want the order of line 12", got)
	}
}

// Two failing runs had the order, but three passing runs too: it is no more than
// one of several places.
func TestOrderThatManyPassWith(t *testing.T) {
	for passed, want := range map[int]float64{1: 0.8, 3: 0.73} {
		in := input()
		o := &in.Analysis.Orders[0]
		o.Fail.Anchor.Stamps, o.Missing = nil, nil
		o.Table = divergence.Table{FailTaken: 2, PassTaken: passed, PassNot: 300}
		got := 0.0
		for _, s := range Find(in) {
			if s.Start == 11 {
				got = s.Score
			}
		}
		if got < want || got > want+0.05 {
			t.Errorf("%d passed: score %v, want a little over %v", passed, got, want)
		}
	}
}
