package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/term"
)

// A Console is where a command says what it does, and what is wrong.
type Console struct {
	Stdout io.Writer // the result, nothing else
	Stderr io.Writer // progress, warnings and errors
	Getenv func(string) string
	Chdir  string // -C: directory to work in, "" for the current one
	// Redact leaves out what is not to be shown, as passwords; nil for nothing.
	Redact func(string) string
}

// Progressf writes a line of progress.
func (c *Console) Progressf(format string, args ...any) {
	fmt.Fprintf(c.Stderr, format+"\n", args...)
}

// FullHint is the advice for a disk that is full.
const FullHint = "-o DIR puts results elsewhere, TMPDIR says where binaries are built, and -trace-budget 16MB needs less room while tests run"

// Warnf writes a warning to stderr, with advice about the errors among args.
func (c *Console) Warnf(format string, args ...any) {
	fmt.Fprintf(c.Stderr, "fdebug: warning: %s\n", c.shown(fmt.Sprintf(format, args...)))
	for _, arg := range args {
		if err, ok := arg.(error); ok && errors.Is(err, syscall.ENOSPC) {
			fmt.Fprintf(c.Stderr, "hint: %s\n", FullHint)
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
	if c.Getenv("NO_COLOR") != "" || c.Getenv("CI") != "" || c.Getenv("TERM") == "dumb" {
		return false
	}
	return IsTerminal(c.Stderr)
}

func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
