package starter

import (
	"context"
	"testing"
)

func TestStart(t *testing.T) {
	p := NewPool()
	p.Start()
	if n := p.Wait(); n < 0 {
		t.Fatalf("%d workers", n)
	}
}

func TestStartCounted(t *testing.T) {
	p := NewPool()
	p.StartCounted()
	if n := p.Wait(); n < 0 {
		t.Fatalf("%d workers", n)
	}
}

func TestFlushCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Flush(ctx, func() {}); err == nil {
		t.Fatal("flushed")
	}
}

func TestFlush(t *testing.T) {
	if err := Flush(context.Background(), func() {}); err != nil {
		t.Fatal(err)
	}
}
