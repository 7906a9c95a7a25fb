package class

import (
	"testing"
	"time"
)

func TestAllWorkers(t *testing.T) {
	g := &Group{}
	for range 6 {
		go g.work() // cause workers
	}
	time.Sleep(8 * time.Millisecond)
	if !g.Any() {
		t.Error("no worker is done")
	}
}

func TestPair(t *testing.T) {
	m := &Mirror{}
	go m.writeA() // cause pair
	go m.writeB() // cause pair
	time.Sleep(8 * time.Millisecond)
	if !m.Written() {
		t.Error("no copy was written")
	}
}
