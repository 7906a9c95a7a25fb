package trace_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/fdebug/fdebug/trace"
)

// Example makes a trace, writes it and reads it back. Events are read chunk by chunk, because a
// trace may be larger than memory.
func Example() {
	g := trace.NewGoroutine(1, "TestCoin", []trace.Event{1, 2, trace.CheckEvent(trace.CheckFail, 7)})
	g.Root = true
	var b bytes.Buffer
	if err := trace.Write(&b, &trace.Trace{Goroutines: []*trace.Goroutine{g}}); err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "trace")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "0001.trace")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		log.Fatal(err)
	}

	t, err := trace.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	for _, g := range t.Goroutines {
		fmt.Println(g.Test, g.Len(), "events")
		for i := range g.Chunks {
			events, err := g.Load(i, nil)
			if err != nil {
				log.Fatal(err)
			}
			for _, e := range events {
				if block, ok := e.Block(); ok {
					fmt.Println("block", block)
				} else if kind, _, ok := e.Check(); ok {
					fmt.Println("failed check:", kind == trace.CheckFail)
				}
			}
		}
	}
	// Output:
	// TestCoin 3 events
	// block 1
	// block 2
	// failed check: true
}
