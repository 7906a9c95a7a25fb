// Package fileio keeps a table of counters on disk. The table is saved again and
// again in the background, so that little is lost when the program ends.
package fileio

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Saving must not slow down those who wait for the disk, so it is done in small
// steps.
const (
	stepLines = 50                   // written in one step
	stepPause = 1 * time.Millisecond // between steps
	savePause = 8 * time.Millisecond // between one save and the next
)

// ErrTruncated says that a file does not hold a whole table.
var ErrTruncated = errors.New("table is truncated")

// A Table counts events by name.
type Table struct {
	path  string
	stop  chan struct{}
	saved chan error // the result of the first save
	saver sync.WaitGroup

	mu     sync.Mutex
	counts map[string]int
}

// Open returns an empty table that is saved to path.
func Open(path string) *Table {
	t := &Table{
		path:   path,
		stop:   make(chan struct{}),
		saved:  make(chan error, 1),
		counts: make(map[string]int),
	}
	return t
}

// Add counts n events.
func (t *Table) Add(name string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[name] += n
}

// Start begins to save the table and returns when it has been saved once.
func (t *Table) Start() error {
	t.saver.Go(t.autosave)
	return <-t.saved
}

// Close stops saving.
func (t *Table) Close() {
	close(t.stop)
	t.saver.Wait()
}

func (t *Table) autosave() {
	for first := true; ; first = false {
		err := t.save()
		if first {
			t.saved <- err
		}
		select {
		case <-t.stop:
			return
		case <-time.After(savePause):
		}
	}
}

// save writes one line for each counter, sorted, and a last line with their
// number.
func (t *Table) save() error {
	lines := t.lines()
	f, err := os.Create(t.path)
	if err != nil {
		return err
	}
	defer f.Close()
	for step := range slices.Chunk(lines, stepLines) {
		if _, err := f.WriteString(strings.Join(step, "")); err != nil {
			return err
		}
		time.Sleep(stepPause)
	}
	_, err = fmt.Fprintf(f, "end %d\n", len(lines))
	return err
}

func (t *Table) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := make([]string, 0, len(t.counts))
	for name, n := range t.counts {
		lines = append(lines, fmt.Sprintf("%s %d\n", name, n))
	}
	slices.Sort(lines)
	return lines
}

// Load reads the table that was saved to path.
func Load(path string) (map[string]int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int)
	for line := range strings.Lines(string(data)) {
		var name string
		var n int
		if _, err := fmt.Sscanf(line, "%s %d\n", &name, &n); err != nil {
			return nil, fmt.Errorf("%w: %q", ErrTruncated, line)
		}
		if name == "end" {
			if n != len(counts) {
				return nil, fmt.Errorf("%w: %d of %d counters", ErrTruncated, len(counts), n)
			}
			return counts, nil
		}
		counts[name] = n
	}
	return nil, fmt.Errorf("%w: no end after %d counters", ErrTruncated, len(counts))
}
