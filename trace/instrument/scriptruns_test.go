package instrument

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// identity checks that ten runs have the same goroutines.
func (tool *scriptTool) identity(args []string) error {
	b, err := tool.load()
	if err != nil {
		return err
	}
	var first []string
	for n := range 10 {
		procs := fmt.Sprint("GOMAXPROCS=", 1+n%8)
		r, err := tool.execute(b, "traced", args, procs)
		if err != nil {
			return err
		}
		t, err := trace.ReadRaw(tool.tracePath())
		if err != nil {
			return fmt.Errorf("%w\n%s", err, r)
		}
		t.Close()
		got := goroutineNames(t)
		if d := duplicate(got); d != "" {
			return fmt.Errorf("two goroutines are %s", d)
		}
		if n == 0 {
			first = got
			fmt.Print(strings.Join(familiar(t), ""))
		} else if !slices.Equal(first, got) {
			return fmt.Errorf("%s differs from the first run:\n%s\nfirst:\n%s", procs, strings.Join(got, "\n"), strings.Join(first, "\n"))
		}
	}
	return nil
}

func duplicate(sorted []string) string {
	for i := range sorted {
		if i > 0 && sorted[i] == sorted[i-1] {
			return sorted[i]
		}
	}
	return ""
}

func goroutineNames(t *trace.Trace) []string {
	var names []string
	for _, g := range t.Goroutines {
		names = append(names, fmt.Sprintf("%s of %s in %q %d, %s by %s", g.ID, g.Parent, g.Test, g.Nth, g.Entry.Func, g.Spawn.Func))
	}
	slices.Sort(names)
	return names
}

// familiar returns how many goroutines each test had, by the function they began with.
func familiar(t *trace.Trace) []string {
	count := make(map[string]int)
	for _, g := range t.Goroutines {
		count[fmt.Sprintf("%s: %s", g.Test, path.Base(g.Entry.Func))]++
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		lines = append(lines, fmt.Sprintf("%s %d\n", name, count[name]))
	}
	return lines
}

// budget checks that a run with a tiny budget has the same chunks as one without, and keeps fewer
// of them.
func (tool *scriptTool) budget(args []string) error {
	b, err := tool.load()
	if err != nil {
		return err
	}
	chunks := func(env string) (map[trace.GoroutineID][]trace.Chunk, string, error) {
		if _, err := tool.execute(b, "traced", args, env); err != nil {
			return nil, "", err
		}
		t, err := trace.ReadRaw(tool.tracePath())
		if err != nil {
			return nil, "", err
		}
		defer t.Close()
		all := make(map[trace.GoroutineID][]trace.Chunk)
		for _, g := range t.Goroutines {
			all[g.ID] = g.Chunks
		}
		return all, t.Truncated, nil
	}
	full, _, err := chunks("FDEBUG_BUDGET=")
	if err != nil {
		return err
	}
	small, why, err := chunks("FDEBUG_BUDGET=1")
	if err != nil {
		return err
	}
	dropped := 0
	for id, want := range full {
		got := small[id]
		if len(got) != len(want) {
			return fmt.Errorf("goroutine %s has %d chunks, not %d", id, len(got), len(want))
		}
		for i, w := range want {
			if !w.Kept || got[i].Hash != w.Hash || got[i].Len != w.Len {
				return fmt.Errorf("goroutine %s, chunk %d: %v, not %v", id, i, got[i], w)
			}
			if !got[i].Kept {
				dropped++
			}
		}
	}
	fmt.Printf("%d chunks dropped: %s\n", dropped, why)
	return nil
}
