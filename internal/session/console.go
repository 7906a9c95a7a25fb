package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/fdebug/fdebug/internal/text"
)

// A Console is where a command says what it does, and what is wrong.
type Console struct {
	Stdout io.Writer // the result, nothing else
	Stderr io.Writer // progress, warnings and errors
	Getenv func(string) string
	Chdir  string // -C: directory to work in, "" for the current one
	// Redact leaves out what is not to be shown, as passwords; nil for nothing.
	Redact func(string) string
	// Name puts into commands in a text what the user types for fdebug; nil for fdebug itself.
	Name func(string) string

	mu     sync.Mutex
	status string        // what is being done
	since  time.Time     // when that began, for the time beside it
	drawn  time.Time     // when the line was drawn last that stands on the terminal, zero if there is none
	ticks  chan struct{} // ends what redraws the line, nil if there is none
}

// Progressf writes a line of progress.
func (c *Console) Progressf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	fmt.Fprintln(c.Stderr, c.Named(fmt.Sprintf(format, args...)))
}

// Named is a text whose commands the user can type.
func (c *Console) Named(text string) string {
	if c.Name == nil {
		return text
	}
	return c.Name(text)
}

const (
	redraw  = 50 * time.Millisecond // the least time between two drawings of the line
	ticking = time.Second           // the time beside it moves
	// telling is how often the line is written where it can't be redrawn, as in CI.
	telling = time.Minute
	columns = 100
)

// Statusf says in one line what is being done, and how far that has come. On a terminal the line
// is redrawn, with the time that has gone by; elsewhere it is written once a minute.
func (c *Console) Statusf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		c.since = time.Now()
	}
	c.status = fmt.Sprintf(format, args...)
	every := telling
	if c.isTerminal() {
		every = ticking
		if time.Since(c.drawn) >= redraw {
			c.draw()
		}
	}
	if c.ticks == nil {
		c.ticks = make(chan struct{})
		go c.tick(c.ticks, every)
	}
}

// draw writes the line.
func (c *Console) draw() {
	gone := time.Since(c.since).Round(time.Second)
	if !c.isTerminal() {
		fmt.Fprintf(c.Stderr, "%s, %v\n", c.status, gone)
		return
	}
	c.drawn = time.Now()
	fmt.Fprintf(c.Stderr, "\r\033[K%s  %v", text.Clip(c.status, columns), gone)
}

// erase takes the line away. It comes back when it is drawn next.
func (c *Console) erase() {
	if c.ticks != nil && !c.drawn.IsZero() {
		fmt.Fprint(c.Stderr, "\r\033[K")
		c.drawn = time.Time{}
	}
}

// tick draws the line until it is cleared.
func (c *Console) tick(end <-chan struct{}, every time.Duration) {
	next := time.NewTicker(every)
	defer next.Stop()
	for {
		select {
		case <-end:
			return
		case <-next.C:
			c.mu.Lock()
			if c.ticks != nil {
				c.draw()
			}
			c.mu.Unlock()
		}
	}
}

// Clear ends the line: the next one is of something else.
func (c *Console) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	if c.ticks != nil {
		close(c.ticks)
	}
	c.ticks, c.since, c.drawn = nil, time.Time{}, time.Time{}
}

// Phasef says what begins: on a terminal as the line that moves, elsewhere as a line of its own.
func (c *Console) Phasef(format string, args ...any) {
	if !c.isTerminal() {
		c.Progressf(format, args...)
		return
	}
	c.Clear()
	c.Statusf(format, args...)
}

// FullHint is the advice for a disk that is full.
const FullHint = "-o DIR puts results elsewhere, TMPDIR says where binaries are built, and -trace-budget 16MB needs less room while tests run"

// Warnf writes a warning to stderr, with advice about the errors among args.
func (c *Console) Warnf(format string, args ...any) {
	c.Progressf("fdebug: warning: %s", c.shown(fmt.Sprintf(format, args...)))
	for _, arg := range args {
		if err, ok := arg.(error); ok && errors.Is(err, syscall.ENOSPC) {
			c.Progressf("hint: %s", FullHint)
		}
	}
}

func (c *Console) shown(text string) string {
	if c.Redact == nil {
		return text
	}
	return c.Redact(text)
}

// Show returns a path as the user would type it.
func (c *Console) Show(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || len(rel) > len(path) {
		return path
	}
	return rel
}

// isTerminal reports whether stderr is a terminal that can redraw a line.
func (c *Console) isTerminal() bool {
	if c.Getenv != nil && (c.Getenv("NO_COLOR") != "" || c.Getenv("CI") != "" || c.Getenv("TERM") == "dumb") {
		return false
	}
	return IsTerminal(c.Stderr)
}

// IsTerminal reports whether what is written to w is shown on a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
