package experiment

import (
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// However many goroutines are asked about, each trace is opened once. Of runs that differ the one counts in which the
// goroutine comes to most.
func TestCourses(t *testing.T) {
	s := &sim{streams: twoGoroutines()}
	opened := make(map[string]int)
	c := newCourses(s.sites(), func(name string) (*trace.Trace, error) {
		opened[name]++
		tr := &trace.Trace{}
		for id := range trace.GoroutineID(100) {
			n := 2
			if name == "b" && id%2 == 0 {
				n = 3
			}
			tr.Goroutines = append(tr.Goroutines, trace.NewGoroutine(id+1, "TestX", stream(1, n)))
		}
		return tr, nil
	})
	runs := []*Outcome{{Trace: "a"}, {}, {Trace: "b"}}
	for id := range trace.GoroutineID(100) {
		want := []int{1, 2, 3}[:2+(id+1)%2]
		if got, err := c.course("", id+1, runs); err != nil || !slices.Equal(got.blocks, want) {
			t.Errorf("goroutine %d comes to %v, %v; want %v", id+1, got.blocks, err, want)
		}
		if got, err := c.course("a", id+1, runs); err != nil || !slices.Equal(got.blocks, want[:2]) {
			t.Errorf("goroutine %d comes to %v in a, %v", id+1, got.blocks, err)
		}
	}
	if got, err := c.course("", 1000, runs); err != nil || got.blocks != nil {
		t.Errorf("one that is not there comes to %v, %v", got.blocks, err)
	}
	if opened["a"] != 1 || opened["b"] != 1 {
		t.Errorf("opened %v", opened)
	}
}
