package instrument

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// lines prints what the last run executed: for each goroutine its test and the go statement that
// started it, then the blocks in order, as lines by file:
//
//	TestX
//		x_test.go 5 6
//		x.go 10 11-12 11-12
//	TestX go x.go:11
//		x.go 20
//
// Goroutines that were started several times in one place are all printed. They are sorted by
// their text, because the scheduler's order means nothing.
func (tool *scriptTool) lines(args []string) error {
	fs := flag.NewFlagSet("lines", flag.ExitOnError)
	test := fs.String("test", "", "")
	prefix := fs.Int("prefix", 1e9, "")
	fs.Parse(args)
	run, err := tool.lastRun()
	if err != nil {
		return err
	}
	sites, t := run.sites, run.t
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
	sites, err := tool.sites()
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
	run, err := tool.lastRun()
	if err != nil {
		return err
	}
	sites, t := run.sites, run.t
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
		return fmt.Sprintf("%s go %s", head, g.Spawn.Func) // line numbers of std change with its version
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

// eventText returns the file and the lines of an event. For a check these are those of the
// innermost frame in an instrumented file.
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
