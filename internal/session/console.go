package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A Console is the place where a command reports its progress, and errors.
type Console struct {
	Stdout io.Writer // the result, nothing else
	Stderr io.Writer // progress, warnings and errors
	Getenv func(string) string
	Chdir  string // -C: directory to work in; "" for the current one
	// Redact removes secrets, such as passwords; nil removes nothing.
	Redact  func(string) string
	Machine Machine // that builds and runs tests; zero for this one
	Quiet   bool    // whether errors are all that is written to Stderr

	mu     sync.Mutex
	status string        // the current step
	since  time.Time     // when that began, for the time shown with it
	drawn  time.Time     // when the line on the terminal was last drawn; zero if there is none
	ticks  chan struct{} // ends the redrawing of the line; nil if there is none
}

// A Machine stands for this one in tests of fdebug: internal/lab/recorded answers for it.
type Machine struct {
	Prepare func(*Session) func(context.Context, instrument.Config) (*instrument.Plan, error)
	Run     func(context.Context, *runner.Exec) (*runner.Run, error)
	Output  func(*exec.Cmd) ([]byte, error)
}

// Progressf writes a line of progress.
func (c *Console) Progressf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Quiet {
		return
	}
	c.erase()
	fmt.Fprintln(c.Stderr, fmt.Sprintf(format, args...))
}

const (
	redraw  = 50 * time.Millisecond // the least time between two drawings of the line
	ticking = time.Second           // how often the time on it changes
	// telling is how often the line is written if it can't be redrawn, as in CI.
	telling = time.Minute
	columns = 100
)

// Statusf tells in one line of the current step, and how far it has come. On a terminal the line is
// redrawn, with the time that has passed; elsewhere it is written once a minute.
func (c *Console) Statusf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Quiet {
		return
	}
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

// erase removes the line. It comes back when it is next drawn.
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

// Clear ends the line: the next one is about something else.
func (c *Console) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	if c.ticks != nil {
		close(c.ticks)
	}
	c.ticks, c.since, c.drawn = nil, time.Time{}, time.Time{}
}

// Phasef tells of a step that begins: on a terminal in the status line, elsewhere in a line of its own.
func (c *Console) Phasef(format string, args ...any) {
	if !c.isTerminal() {
		c.Progressf(format, args...)
		return
	}
	c.Clear()
	c.Statusf(format, args...)
}

// fullHint is the advice for a full disk.
const fullHint = "-o DIR puts results elsewhere, TMPDIR says where binaries are built, and -trace-budget 16MB needs less room while tests run"

// Warnf writes a warning to stderr, with advice about the errors in args.
func (c *Console) Warnf(format string, args ...any) {
	c.Progressf("fdebug: warning: %s", c.shown(fmt.Sprintf(format, args...)))
	for _, arg := range args {
		if err, ok := arg.(error); ok && errors.Is(err, syscall.ENOSPC) {
			c.Progressf("hint: %s", fullHint)
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

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// PrintError writes an error in the form
//
//	fdebug: lower case, what, where
//	hint: what to do about it
func (c *Console) PrintError(err error) {
	fmt.Fprintf(c.Stderr, "fdebug: %s\n", c.shown(err.Error()))
	var h *advice.Error
	if errors.Is(err, syscall.ENOSPC) {
		fmt.Fprintf(c.Stderr, "hint: %s\n", fullHint)
	}
	if errors.As(err, &h) {
		for _, hint := range h.Hints {
			fmt.Fprintf(c.Stderr, "hint: %s\n", c.shown(hint))
		}
	}
}
