package instrument

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// TestWakers waits in a real process for everything that a goroutine can wait for. Each wait has
// its reason, the goroutine that ended it, and the event at which it did. That is the call after
// the sleep of the goroutine that was late.
func TestWakers(t *testing.T) {
	f := buildFixture(t, Config{})
	tr, _ := f.run([]string{"-test.run", "^TestWaits$"}, "WAITS=1")
	var got []string
	for _, g := range tr.Goroutines {
		if !g.Root {
			continue
		}
		if g.Number == 0 {
			t.Error("its number in dumps is not known")
		}
		events, err := load(g)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range g.Stamps {
			if s.GoesOn && i > 0 && !g.Stamps[i-1].GoesOn {
				at, _ := events[s.Pos-1].Block()
				got = append(got, fmt.Sprintf("%s: %s, %s", endOf(f, at), tr.Reason(g.Stamps[i-1]), f.waker(tr, s)))
			}
		}
	}
	want := `waits_test.go:18: chan receive, woken at waits_test.go:17 by the one of line 17
waits_test.go:23: sync.Mutex.Lock, woken at waits_test.go:55 by the one of line 22
waits_test.go:28: sync.WaitGroup.Wait, woken at waits_test.go:55 by the one of line 27
waits_test.go:32: sync.Cond.Wait, woken at waits_test.go:55 by the one of line 31
waits_test.go:34: sleep, woken by a timer
waits_test.go:36: select, woken by a timer
waits_test.go:43: chan receive, woken by a timer
waits_test.go:50: IO wait, woken by nobody`
	text := strings.ReplaceAll(strings.Join(got, "\n"), "semacquire", "sync.WaitGroup.Wait") // before Go 1.25
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// waker describes who woke a goroutine, and at which line.
func (f *fixture) waker(tr *trace.Trace, s trace.Stamp) string {
	switch g := tr.Waker(s); {
	case s.Waker == trace.WakerTimer:
		return "woken by a timer"
	case s.Waker == trace.WakerOther:
		return "woken by another"
	case g == nil:
		return "woken by nobody"
	default:
		events, err := load(g)
		if err != nil {
			f.t.Fatal(err)
		}
		at, _ := events[s.WakerPos-1].Block()
		return fmt.Sprintf("woken at %s by the one of line %d", endOf(f, at), g.Spawn.Line)
	}
}

// endOf returns the last line of a block.
func endOf(f *fixture, block int) string {
	b := f.plan.Sites.Blocks[block]
	return fmt.Sprintf("%s:%d", path.Base(f.plan.Sites.Files[f.plan.Sites.FileOf(block)].Path), b.EndLine)
}
