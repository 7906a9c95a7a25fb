package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/stored"
	"github.com/fdebug/fdebug/internal/terminal"
)

// openTerminal returns the two sides of a terminal with the given number of columns.
func openTerminal(t *testing.T, columns uint16) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err != nil {
		t.Skip(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { tty.Close() })
	return screen, tty
}

// TestTerminal prints a report to a terminal.
func TestTerminal(t *testing.T) {
	dir := sampleRunDir(t).write(t)
	for name, c := range map[string]struct {
		env   []string
		codes bool
		lines int // columns
	}{
		"terminal": {[]string{"TERM", "xterm"}, true, 60},
		"no color": {[]string{"TERM", "xterm", "NO_COLOR", "1"}, false, 60},
		"dumb":     {[]string{"TERM", "dumb"}, false, 1000},
	} {
		screen, tty := openTerminal(t, 60)
		shown := make(chan string)
		go func() {
			var b bytes.Buffer
			b.ReadFrom(screen) // ends with an error when the other side is closed
			shown <- b.String()
		}()
		var errs bytes.Buffer
		a := &app{Console: &session.Console{Stdout: tty, Stderr: &errs, Getenv: env(c.env...)}}
		if code, err := stored.Report(t.Context(), a.screen(), dir, ""); code != exit.Flaky || err != nil {
			t.Fatalf("exit code %d, error %v", code, err)
		}
		tty.Close()
		text := strings.ReplaceAll(<-shown, "\r\n", "\n")
		if got := strings.Contains(text, "\x1b["); got != c.codes {
			t.Errorf("%s: codes in it: %v, want %v\n%q", name, got, c.codes, text)
		}
		if got := strings.Contains(text, "\x1b[1;33mFLAKY\x1b[0m  \x1b[1mm.TestX\x1b[0m  2 of 4 failed"); got != c.codes {
			t.Errorf("%s: the headline in colour: %v, want %v\n%q", name, got, c.codes, text)
		}
		most := 0
		for line := range strings.Lines(text) {
			if line = terminal.TerminalCodes.ReplaceAllString(strings.TrimSuffix(line, "\n"), ""); strings.Contains(strings.TrimSpace(line), " ") {
				most = max(most, len([]rune(line)))
			}
		}
		if most > c.lines || c.lines > 60 && most <= 60 {
			t.Errorf("%s: a line of %d columns in %s", name, most, filepath.Base(dir))
		}
	}
}
