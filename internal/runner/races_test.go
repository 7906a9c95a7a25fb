package runner

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// access is a part of a race report: what a goroutine did.
func access(goroutine int, kind, fn string) string {
	return fmt.Sprintf("%s at 0x00c000012345 by goroutine %d:\n  example.com/m.%s()\n      /src/m/a.go:24 +0xc4\n", kind, goroutine, fn)
}

func raceText(parts ...string) string {
	return "==================\nWARNING: DATA RACE\n" + strings.Join(parts, "\n") + "==================\n"
}

// framed writes framing lines as the test binary does.
func framed(lines string) string { return strings.ReplaceAll(lines, "^", string(rune(marker))) }

// failing names the outcomes that failed.
func failing(outcomes []*Outcome) string {
	var names []string
	for _, o := range outcomes {
		if !o.Status.Failing() {
			continue
		}
		name := o.Test
		if name == "" {
			name = "(package)"
		}
		if o.Late {
			name += "!"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// TestRacesOfEach has a test that races often. The reports of the next test are kept too.
func TestRacesOfEach(t *testing.T) {
	text := raceText(access(9, "Write", "(*P).loop"), access(10, "Previous read", "(*P).report"))
	run := func(test string, races int) string {
		return "^=== RUN   " + test + "\n" + strings.Repeat(text, races) + "^--- PASS: " + test + " (0.00s)\n"
	}
	for _, c := range []struct {
		first, second int
		kept          int
	}{{2, 3, 5}, {8, 1, 9}, {20, 3, 11}, {0, 9, 8}} {
		p := newParser(func() time.Time { return time.Time{} })
		p.Write([]byte(framed(run("TestA", c.first) + run("TestB", c.second) + "^PASS\n")))
		p.finish(Exit{Code: 66})
		if len(p.races) != c.kept {
			t.Errorf("%d and %d races: %d kept, want %d", c.first, c.second, len(p.races), c.kept)
		}
	}
}
