package instrument

import (
	"fmt"
	"path"
	"strings"
	"testing"
)

// TestWakers waits in a real process for everything that a goroutine can wait for. Each wait has
// its reason, and what ended it.
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
				got = append(got, fmt.Sprintf("%s: %s, woken by %s", endOf(f, at), tr.Reason(g.Stamps[i-1]), []string{"nobody", "a timer", "another", "one with probes"}[s.Waker]))
			}
		}
	}
	want := `waits_test.go:18: chan receive, woken by one with probes
waits_test.go:23: sync.Mutex.Lock, woken by one with probes
waits_test.go:28: sync.WaitGroup.Wait, woken by one with probes
waits_test.go:32: sync.Cond.Wait, woken by one with probes
waits_test.go:34: sleep, woken by a timer
waits_test.go:36: select, woken by a timer
waits_test.go:43: chan receive, woken by a timer
waits_test.go:50: IO wait, woken by nobody`
	text := strings.ReplaceAll(strings.Join(got, "\n"), "semacquire", "sync.WaitGroup.Wait") // before Go 1.25
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// endOf returns the last line of a block.
func endOf(f *fixture, block int) string {
	b := f.plan.Sites.Blocks[block]
	return fmt.Sprintf("%s:%d", path.Base(f.plan.Sites.Files[f.plan.Sites.FileOf(block)].Path), b.EndLine)
}
