package condqueue

import (
	"fmt"
	"hash/fnv"
	"testing"
	"time"
)

// request is what a client does before it comes to the gate.
func request(i int) uint64 {
	h := fnv.New64a()
	for n := range 40 {
		fmt.Fprintf(h, "request %d, header %d", i, n)
	}
	return h.Sum64()
}

func TestEverybodyPassesOnceOpen(t *testing.T) {
	g := NewGate()
	for i := range 120 {
		go func() {
			request(i)
			g.Pass(fmt.Sprint("client ", i))
		}()
	}
	for i := range 3 {
		request(i)
	}
	g.Open()
	if !g.Drain(120, 60*time.Millisecond) {
		t.Errorf("%d callers have passed, want 120", g.Passed())
	}
}

func TestOpenGate(t *testing.T) {
	g := NewGate()
	g.Open()
	g.Pass("ada")
	g.Pass("bob")
	if got := g.Passed(); got != 2 {
		t.Errorf("passed = %d, want 2", got)
	}
}

func TestClose(t *testing.T) {
	g := NewGate()
	g.Open()
	g.Close()
	if g.IsOpen() {
		t.Error("the gate is open after Close")
	}
}
