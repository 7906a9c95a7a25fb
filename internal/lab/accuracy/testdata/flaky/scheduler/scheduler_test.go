package scheduler

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"example.com/scheduler/queue"
)

func compress(j queue.Job) {
	data := make([]byte, 1<<15)
	for i := range data {
		data[i] = byte(rand.UintN(256))
	}
	count := make(map[byte]int)
	for _, b := range data[:4096] {
		count[b]++
	}
}

func TestAllJobsRun(t *testing.T) {
	s := New(compress)
	for i := range 6 {
		s.Submit(fmt.Sprintf("Backup %d", i%3), i)
	}
	s.Start()
	defer s.Close()
	s.Wait()
	if s.Spent() < 0 {
		t.Fatal("jobs took less than no time")
	}
	for name, n := range s.Summary() {
		if n != 2 {
			t.Errorf("%s ran %d times, want 2", name, n)
		}
	}
	if got := len(s.Summary()); got != 3 {
		t.Errorf("%d kinds of jobs ran, want 3", got)
	}
}

func TestPriority(t *testing.T) {
	var order []string
	s := New(func(j queue.Job) { order = append(order, j.Name) })
	s.Submit("low", 1)
	s.Submit("high", 9)
	s.Start()
	s.Wait()
	s.Close()
	if len(order) == 0 || order[0] != "high" {
		t.Errorf("ran %q", order)
	}
}
