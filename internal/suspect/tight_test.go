package suspect

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

const tightly = `package p
func TestX(t *testing.T) {
	s := serve(Config{
		Interval: 2 * time.Millisecond,
		Timeout: 15 * time.Millisecond,
	})
	code := s.get("/")
	if code != 404 {
		t.Error(code)
	}
}
`

// limitedInput is a test that waits in line 7 for as long as that, in milliseconds.
func limitedInput(passing, failing []int64) Input {
	d := &divergence.Divergence{
		LastCommon: 8, FailNext: 9, PassNext: 10,
		Table: divergence.Table{FailTaken: len(failing), PassNot: len(passing)}, Path: []divergence.Call{{Block: 8}},
	}
	for b := 3; b <= 8; b++ {
		d.Common = append(d.Common, divergence.Count{Block: b, N: 1})
	}
	h := divergence.Held{Block: 7}
	for _, n := range passing {
		h.Passing = append(h.Passing, n*int64(time.Millisecond))
	}
	for _, n := range failing {
		h.Failing = append(h.Failing, n*int64(time.Millisecond))
	}
	return Input{
		Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{d}, Held: []divergence.Held{h}},
		Sites:    lineSites(tightly, [2]int{2, 11}),
		Source:   func(string) ([]byte, error) { return []byte(tightly), nil },
		Check:    trace.Frame{File: "/m/p/a.go", Line: 9},
	}
}

// All failing and one of ten passing runs waited for more than the 15 ms of line
// 5. The interval of line 4 is no limit. If failing runs wait no longer, or if
// passing runs come nowhere near it, the limit is not why.
func TestTight(t *testing.T) {
	passing := []int64{1, 2, 2, 3, 3, 4, 8, 9, 11, 40}
	got := Find(limitedInput(passing, []int64{16, 17, 20, 30, 90}))[0]
	if want := "longer than that in 5 of 5 failing runs and 1 of 10 passing runs"; got.Start != 5 || !strings.Contains(got.Why, "15ms") || !strings.Contains(got.Why, want) {
		t.Errorf("got %+v, want line 5, %s", got, want)
	}
	for name, failing := range map[string][]int64{"no longer": {1, 3, 8, 11, 40}, "some longer": {1, 3, 8, 20, 40}} {
		if got := firstLine(t, limitedInput(passing, failing)); got != 8 {
			t.Errorf("%s: first suspect in line %d, want 8", name, got)
		}
	}
	if got := firstLine(t, limitedInput([]int64{0, 0, 0, 1, 1, 1, 1, 1, 1, 1}, []int64{16, 16, 16, 16, 16})); got != 8 {
		t.Errorf("nowhere near: first suspect in line %d, want 8", got)
	}
	in := limitedInput(passing, []int64{16, 17, 20, 30, 90})
	in.Analysis.Held[0].Block = 5
	if got := firstLine(t, in); got != 8 {
		t.Errorf("the limit of the wait itself: first suspect in line %d, want 8", got)
	}
}

func TestDurationOf(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"15 * time.Millisecond": 15 * time.Millisecond, "time.Second * 2": 2 * time.Second, "time.Minute)": time.Minute, "x.time": 0,
	} {
		got := time.Duration(0)
		if m := duration.FindSubmatch([]byte(text)); m != nil {
			got = durationOf(m)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
