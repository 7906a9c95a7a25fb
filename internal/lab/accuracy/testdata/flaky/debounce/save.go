// Package debounce saves a document some time after the last change to it.
package debounce

import (
	"strings"
	"sync"
	"time"
)

// An Editor holds a document and saves it when its author pauses.
type Editor struct {
	quiet time.Duration
	save  func(text string) error

	mu     sync.Mutex
	lines  []string
	timer  *time.Timer
	saves  int
	errors []error
}

// NewEditor returns an editor that calls save when there was no change for quiet.
func NewEditor(quiet time.Duration, save func(string) error) *Editor {
	return &Editor{quiet: quiet, save: save}
}

// Append adds a line.
func (e *Editor) Append(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, line)
	e.schedule()
}

// Undo removes the last line. It reports whether there was one.
func (e *Editor) Undo() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.lines) == 0 {
		return false
	}
	e.lines = e.lines[:len(e.lines)-1]
	e.schedule()
	return true
}

func (e *Editor) schedule() {
	if e.timer != nil {
		e.timer.Stop()
	}
	e.timer = time.AfterFunc(e.quiet, e.flush)
}

func (e *Editor) flush() {
	e.mu.Lock()
	text := strings.Join(e.lines, "\n")
	e.mu.Unlock()

	err := e.save(text)

	e.mu.Lock()
	defer e.mu.Unlock()
	e.saves++
	if err != nil {
		e.errors = append(e.errors, err)
	}
}

// Saves returns how often the document was saved.
func (e *Editor) Saves() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.saves
}

// Err returns the last error of a save.
func (e *Editor) Err() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.errors) == 0 {
		return nil
	}
	return e.errors[len(e.errors)-1]
}
