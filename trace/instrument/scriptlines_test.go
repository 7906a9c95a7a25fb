package instrument

import (
	"flag"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// lines prints what the last run executed: for each goroutine its test and the
// go statement that started it, then the blocks in order, as lines by file:
//
//	TestX
//		x_test.go 5 6
//		x.go 10 11-12 11-12
//	TestX go x.go:11
//		x.go 20
//
// Of the same goroutines started several times in one place each is printed;
// the order is that of the text, since that of the scheduler says nothing.
func (tool *scriptTool) lines(args []string) error {
	fs := flag.NewFlagSet("lines", flag.ExitOnError)
	test := fs.String("test", "", "")
	prefix := fs.Int("prefix", 1e9, "")
	fs.Parse(args)
	b, err := tool.load()
	if err != nil {
		return err
	}
	sites, err := trace.ReadSites(b.Sites)
	if err != nil {
		return err
	}
	t, err := trace.ReadRaw(tool.tracePath())
	if err != nil {
		return err
	}
	defer t.Close()
	var texts []string
	for _, g := range t.Goroutines {
		if *test != "" && g.Test != *test {
			continue
		}
		events, err := load(g)
		if err != nil {
			return err
		}
		texts = append(texts, goroutineHeader(sites, g)+"\n"+linesText(sites, t, events[:min(*prefix, len(events))]))
	}
	if t.Truncated != "" {
		texts = append(texts, "truncated: "+t.Truncated+"\n")
	}
	slices.Sort(texts)
	fmt.Print(strings.Join(texts, ""))
	return nil
}

// functions prints the functions of a file with the lines they begin at.
func (tool *scriptTool) functions(args []string) error {
	b, err := tool.load()
	if err != nil {
		return err
	}
	sites, err := trace.ReadSites(b.Sites)
	if err != nil {
		return err
	}
	for _, f := range sites.Funcs {
		if sites.Files[f.File].Path == args[0] {
			fmt.Println(f.Name, f.Line)
		}
	}
	return nil
}

// counts prints how often each block of a file was run.
func (tool *scriptTool) counts(args []string) error {
	b, err := tool.load()
	if err != nil {
		return err
	}
	sites, err := trace.ReadSites(b.Sites)
	if err != nil {
		return err
	}
	t, err := trace.ReadRaw(tool.tracePath())
	if err != nil {
		return err
	}
	defer t.Close()
	counts, lost, err := sites.Counts(t.Goroutines)
	if err != nil {
		return err
	}
	for i, n := range counts {
		if span, ok := sites.Pos(i); ok && span.File == args[0] {
			fmt.Printf("%d-%d %d\n", span.Start, span.End, n)
		}
	}
	fmt.Println("lost", lost, t.Truncated)
	return nil
}

// load returns all events of a goroutine.
func load(g *trace.Goroutine) (all []trace.Event, err error) {
	var buf []trace.Event
	for i := range g.Chunks {
		if buf, err = g.Load(i, buf); err != nil {
			return nil, err
		}
		all = append(all, buf...)
	}
	return all, nil
}

func goroutineHeader(sites *trace.Sites, g *trace.Goroutine) string {
	head := g.Test
	if head == "" {
		head = "no test"
	}
	if g.Nth > 0 {
		head += fmt.Sprintf(" (again %d)", g.Nth)
	}
	switch rel, ours := sites.Rel(g.Spawn.File); {
	case g.Root, g.Parent == 0:
		return head
	case ours:
		return fmt.Sprintf("%s go %s:%d", head, rel, g.Spawn.Line)
	default:
		return fmt.Sprintf("%s go %s", head, g.Spawn.Func) // lines of std change with its version
	}
}

func linesText(sites *trace.Sites, t *trace.Trace, events []trace.Event) string {
	var text strings.Builder
	last := ""
	for _, e := range events {
		file, what := eventText(sites, t, e)
		if file != last {
			if last != "" {
				text.WriteByte('\n')
			}
			fmt.Fprintf(&text, "\t%s", file)
			last = file
		}
		fmt.Fprintf(&text, " %s", what)
	}
	text.WriteByte('\n')
	return text.String()
}

// eventText returns the file and the lines of an event: of a check those of
// the innermost frame in an instrumented file.
func eventText(sites *trace.Sites, t *trace.Trace, e trace.Event) (file, what string) {
	if kind, stack, ok := e.Check(); ok {
		for _, f := range t.Stacks[stack] {
			if rel, ours := sites.Rel(f.File); ours {
				return rel, fmt.Sprintf("[%v %d]", kind, f.Line)
			}
		}
		return "?", fmt.Sprintf("[%v]", kind)
	}
	n, _ := e.Block()
	span, ok := sites.Pos(n)
	if !ok {
		return "?", fmt.Sprint("block ", n)
	}
	if span.Start == span.End {
		return span.File, fmt.Sprint(span.Start)
	}
	return span.File, fmt.Sprintf("%d-%d", span.Start, span.End)
}

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

// familiar says how many goroutines each test had, by the function they began with.
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

// budget checks that a run with a tiny budget has the same chunks as one
// without, of which it keeps fewer.
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
