package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/term"
)

// A console is where a command says what it does, and what is wrong.
type console struct {
	stdout io.Writer // the result, nothing else
	stderr io.Writer // progress, warnings and errors
	getenv func(string) string
	chdir  string // -C: directory to work in, "" for the current one
	// redact leaves out what is not to be shown, as passwords; nil for nothing.
	redact func(string) string
}

// progressf writes a line of progress.
func (c *console) progressf(format string, args ...any) {
	fmt.Fprintf(c.stderr, format+"\n", args...)
}

// fullHint is the advice for a disk that is full.
const fullHint = "-o DIR puts results elsewhere, TMPDIR says where binaries are built, and -trace-budget 16MB needs less room while tests run"

// warnf writes a warning to stderr, with advice about the errors among args.
func (c *console) warnf(format string, args ...any) {
	fmt.Fprintf(c.stderr, "fdebug: warning: %s\n", c.shown(fmt.Sprintf(format, args...)))
	for _, arg := range args {
		if err, ok := arg.(error); ok && errors.Is(err, syscall.ENOSPC) {
			fmt.Fprintf(c.stderr, "hint: %s\n", fullHint)
		}
	}
}

func (c *console) shown(text string) string {
	if c.redact == nil {
		return text
	}
	return c.redact(text)
}

// show returns a path as the user would type it.
func (c *console) show(path string) string {
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
func (c *console) isTerminal() bool {
	if c.getenv("NO_COLOR") != "" || c.getenv("CI") != "" || c.getenv("TERM") == "dumb" {
		return false
	}
	return isTerminal(c.stderr)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
