package late

import (
	"testing"
	"time"
)

func TestIndex(t *testing.T) {
	x := NewIndex([]string{"a", "b", "c"})
	time.Sleep(10 * time.Millisecond)
	if n := x.Len(); n != 3 {
		t.Fatalf("%d words", n)
	}
}

func TestClose(t *testing.T) {
	w := NewWriter()
	for _, s := range []string{"one", "two", "three"} {
		w.Write(s)
	}
	w.Close()
	time.Sleep(8 * time.Millisecond)
	if got := w.Lines(); len(got) != 3 {
		t.Fatalf("%d lines were written", len(got))
	}
}

func TestSubscribe(t *testing.T) {
	b := &Bus{}
	got := make(chan int, 1)
	go func() { // cause subscribe
		c := b.Subscribe() // cause subscribe
		got <- <-c
	}()
	time.Sleep(6 * time.Millisecond)
	b.Publish(7)
	select {
	case <-got:
	case <-time.After(300 * time.Millisecond):
		t.Fatal("the event was lost")
	}
}

func TestReady(t *testing.T) {
	s := &Server{}
	go s.Serve(60 * time.Millisecond) // cause ready
	time.Sleep(5 * time.Millisecond)
	if s.open.Load() != 1 { // cause ready
		t.Fatal("no connection is open")
	}
}
