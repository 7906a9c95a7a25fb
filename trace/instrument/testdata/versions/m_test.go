package m

import (
	"context"
	"runtime/pprof"
	"testing"
)

func TestFan(t *testing.T) {
	if got := fan(4); got != 2 {
		t.Fatalf("got %d", got)
	}
}

func TestSub(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan string)
			go helper(t, done)
			<-done
		})
	}
}

func helper(t *testing.T, done chan string) {
	t.Helper()
	done <- branch(len(t.Name()))
}

func TestTimer(t *testing.T) { later() }

func TestPanic(t *testing.T) {
	if safe(func() { panic("x") }) != "x" {
		t.Error("no panic")
	}
}

func TestLabels(t *testing.T) {
	pprof.Do(context.Background(), pprof.Labels("k", "v"), func(context.Context) {
		branch(1)
		fan(1)
	})
	branch(2)
}

func TestFails(t *testing.T) {
	if testing.Verbose() {
		t.Error("always")
	}
	branch(3)
}
