package debounce

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

type disk struct {
	full bool
	last chan string
}

func newDisk() *disk { return &disk{last: make(chan string, 10)} }

var errFull = errors.New("disk is full")

func (d *disk) save(text string) error {
	time.Sleep(time.Duration(rand.IntN(6)) * time.Millisecond)
	if d.full {
		return errFull
	}
	d.last <- text
	return nil
}

func TestSavedOnceAfterTyping(t *testing.T) {
	d := newDisk()
	e := NewEditor(5*time.Millisecond, d.save)
	for _, line := range []string{"to do", "- milk", "- bread"} {
		e.Append(line)
		time.Sleep(time.Millisecond)
	}
	e.Undo()
	time.Sleep(9 * time.Millisecond)

	if got := e.Saves(); got != 1 {
		t.Fatalf("saved %d times, want once", got)
	}
	if got, want := <-d.last, "to do\n- milk"; got != want {
		t.Errorf("saved %q, want %q", got, want)
	}
}

func TestNothingToUndo(t *testing.T) {
	e := NewEditor(time.Hour, newDisk().save)
	if e.Undo() {
		t.Error("undid a change that was not made")
	}
}

func TestSaveFails(t *testing.T) {
	d := newDisk()
	d.full = true
	e := NewEditor(time.Hour, d.save)
	e.Append("x")
	e.flush()
	if err := e.Err(); !errors.Is(err, errFull) {
		t.Errorf("Err() = %v, want %v", err, errFull)
	}
}
