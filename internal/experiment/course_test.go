package experiment

import (
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// However many goroutines are asked about, each trace is opened once.
func TestCourses(t *testing.T) {
	s := &sim{streams: twoGoroutines()}
	opened := make(map[string]int)
	c := newCourses(s.sites(), func(name string) (*trace.Trace, error) {
		opened[name]++
		tr := &trace.Trace{}
		for id := range trace.GoroutineID(100) {
			tr.Goroutines = append(tr.Goroutines, trace.NewGoroutine(id+1, "TestX", stream(1, len(name))))
		}
		return tr, nil
	})
	for id := range trace.GoroutineID(100) {
		for _, name := range []string{"a", "bb"} {
			if got, err := c.blocks(name, id+1); err != nil || !slices.Equal(got, []int{1, 2}[:len(name)]) {
				t.Errorf("goroutine %d comes to %v in %s, %v", id+1, got, name, err)
			}
		}
	}
	if got, err := c.blocks("a", 1000); err != nil || got != nil {
		t.Errorf("one that is not there comes to %v, %v", got, err)
	}
	if opened["a"] != 1 || opened["bb"] != 1 {
		t.Errorf("opened %v", opened)
	}
}
