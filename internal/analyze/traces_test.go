package analyze

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A trace that turns out to be damaged when its events are read is one that could not be read, and the only one.
func TestLeaveOut(t *testing.T) {
	dir := t.TempDir()
	var runs []*runner.Run
	for n := 1; n <= 3; n++ {
		g := trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 77})
		name := fmt.Sprintf("%d.trace", n)
		if err := trace.WriteFile(filepath.Join(dir, name), &trace.Trace{Goroutines: []*trace.Goroutine{g}}); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, &runner.Run{N: n, Traces: []string{name}})
	}
	file := filepath.Join(dir, "2.trace")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.IndexByte(data, 77) // the last event
	data[at]++
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	s := newTraceSet(context.Background(), dir)
	defer s.close()
	read := func() error {
		for _, r := range runs {
			if tr, err := s.get(r); err == nil {
				if _, err := tr.Goroutines[0].Load(0, nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = read()
	if !errors.Is(err, trace.ErrDamaged) || !s.leaveOut(err) || s.leaveOut(err) || s.leaveOut(errNoTrace) {
		t.Fatalf("not left out once: %v", err)
	}
	if err := read(); err != nil {
		t.Error(err)
	}
	for i, want := range []bool{true, false, true} {
		if _, err := s.get(runs[i]); (err == nil) != want {
			t.Errorf("run %d: %v", i+1, err)
		}
	}
	if !s.tell(runs[1]) || s.tell(runs[1]) {
		t.Error("it is not told once")
	}
}
