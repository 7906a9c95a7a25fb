package divergence

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/trace"
)

// The notation of testdata/*.txt, as txtar archives:
//
//	-- sites --
//	func Get            functions, each followed by its blocks:
//	1 entry 7-9         number, kind, lines
//	-- stacks --        if there are any: those of check events, innermost first
//	7 p.check:9 p.TestX:5
//	-- runs --
//	pass 1-3            one or several runs; "truncated" may follow
//	TestX: 4 1 2x(3 4)  a goroutine's stream: blocks; 2x( ) repeats
//	TestX go worker @10-50: 7 8   started by TestX, "go worker"; from 10 to 50 ns
//	TestX @10-50 waits: 7 from 50 ns on it waits for ever
//	TestX#1: 4 1 3      TestX, run a second time by -count
//	server: 9           a goroutine of no test
//	fail 4
//	TestX: 4 1 3 F1     F fail, N fail now, S skip, P panic, with a stack hash
//	-- want --
//	the analysis, as summary prints it
//
// The comment before the first file works out the answer.

var kinds = map[string]trace.BlockKind{
	"entry": trace.BlockEntry, "then": trace.BlockThen, "else": trace.BlockElse, "loop": trace.BlockLoop,
	"case": trace.BlockCase, "comm": trace.BlockComm, "next": trace.BlockNext, "call": trace.BlockCall,
}

func parseCase(t testing.TB, ar *txtar.Archive) Input {
	t.Helper()
	in := Input{Test: "TestX"}
	for _, f := range ar.Files {
		switch f.Name {
		case "test":
			in.Test = strings.TrimSpace(string(f.Data))
		case "sites":
			in.Sites = parseSites(t, string(f.Data))
		case "runs":
			in.Runs = parseRuns(t, string(f.Data))
		}
	}
	for _, f := range ar.Files {
		if f.Name == "stacks" {
			for _, r := range in.Runs {
				r.Trace.Stacks = parseStacks(t, string(f.Data))
			}
		}
	}
	return in
}

func parseStacks(t testing.TB, text string) map[uint32][]trace.Frame {
	t.Helper()
	stacks := make(map[uint32][]trace.Frame)
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		hash := uint32(number(t, f[0]))
		for _, name := range f[1:] {
			name, line, _ := strings.Cut(name, ":")
			stacks[hash] = append(stacks[hash], trace.Frame{Func: name, File: "a.go", Line: number(t, line)})
		}
	}
	return stacks
}

func parseSites(t testing.TB, text string) *trace.Sites {
	t.Helper()
	s := &trace.Sites{Files: []trace.File{{Path: "p/a.go", Name: "example.com/p/a.go"}}, Blocks: make([]trace.Block, 1)}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if f[0] == "func" {
			s.Funcs = append(s.Funcs, trace.Func{Name: f[1]})
			continue
		}
		n, err := strconv.Atoi(f[0])
		kind, ok := kinds[f[1]]
		if err != nil || !ok {
			t.Fatalf("bad block %q", line)
		}
		from, to, _ := strings.Cut(f[2], "-")
		b := trace.Block{Func: len(s.Funcs) - 1, Kind: kind, StartLine: number(t, from), StartCol: len(s.Blocks)}
		if b.EndLine = b.StartLine; to != "" {
			b.EndLine = number(t, to)
		}
		for len(s.Blocks) <= n {
			s.Blocks = append(s.Blocks, trace.Block{Func: -1})
		}
		s.Blocks[n] = b
	}
	return s
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("bad number %q", s)
	}
	return n
}

func parseRuns(t testing.TB, text string) []Run {
	t.Helper()
	var runs []Run
	var open []int // indexes of the runs that lines are added to
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case f[0] == "pass" || f[0] == "fail":
			from, to, ok := strings.Cut(f[1], "-")
			if !ok {
				to = from
			}
			open = nil
			for n := number(t, from); n <= number(t, to); n++ {
				open = append(open, len(runs))
				tr := &trace.Trace{}
				if len(f) > 2 {
					tr.Truncated = strings.Join(f[2:], " ")
				}
				runs = append(runs, Run{N: n, Failed: f[0] == "fail", Trace: tr})
			}
		default:
			name, events, ok := strings.Cut(line, ": ")
			if !ok {
				name = strings.TrimSuffix(line, ":")
			}
			for _, i := range open {
				tr := runs[i].Trace
				tr.Goroutines = append(tr.Goroutines, parseGoroutine(t, name, events))
			}
		}
	}
	return runs
}

var times = regexp.MustCompile(` @(\d+)-(\d+)( waits)?$`)

func parseGoroutine(t testing.TB, name, events string) *trace.Goroutine {
	t.Helper()
	span := times.FindStringSubmatch(name)
	if span != nil {
		name = strings.TrimSuffix(name, span[0])
	}
	parts := strings.Split(name, " go ")
	test := parts[0]
	if !strings.HasPrefix(test, "Test") {
		test = ""
	}
	g := trace.NewGoroutine(idOf(name), test, parseEvents(t, events))
	if test, nth, ok := strings.Cut(test, "#"); ok {
		g.ID, g.Test, g.Nth = idOf(test), test, number(t, nth)
	}
	g.Root = len(parts) == 1 && test != ""
	if len(parts) > 1 {
		g.Parent = idOf(strings.Join(parts[:len(parts)-1], " go "))
		// "go handle#3" is the third goroutine started there.
		site, _, _ := strings.Cut(parts[len(parts)-1], "#")
		g.Spawn = trace.Frame{Func: site, Line: 1}
	}
	if span != nil {
		g.Start, g.End = int64(number(t, span[1])), int64(number(t, span[2]))
		for i := range g.Chunks {
			g.Chunks[i].Time = g.Start
		}
		if span[3] != "" {
			g.Stamps, g.End = []trace.Stamp{{Pos: g.Len(), Time: g.End}}, 0
		}
	}
	return g
}

func idOf(name string) trace.GoroutineID {
	h := fnv.New64a()
	h.Write([]byte(name))
	return trace.GoroutineID(h.Sum64())
}

var token = regexp.MustCompile(`\d+x\(|\)|[FNSP]\d+|\d+`)

func parseEvents(t testing.TB, text string) []trace.Event {
	t.Helper()
	tokens := token.FindAllString(text, -1)
	events, rest := parseSeq(t, tokens)
	if len(rest) > 0 {
		t.Fatalf("unbalanced %q", text)
	}
	return events
}

func parseSeq(t testing.TB, tokens []string) (events []trace.Event, rest []string) {
	t.Helper()
	for len(tokens) > 0 {
		tok := tokens[0]
		tokens = tokens[1:]
		switch {
		case tok == ")":
			return events, append([]string{")"}, tokens...)
		case strings.HasSuffix(tok, "x("):
			var body []trace.Event
			body, tokens = parseSeq(t, tokens)
			if len(tokens) == 0 {
				t.Fatal("unbalanced")
			}
			tokens = tokens[1:]
			for range number(t, strings.TrimSuffix(tok, "x(")) {
				events = append(events, body...)
			}
		case strings.ContainsAny(tok, "FNSP"):
			kind := trace.CheckKind(strings.IndexByte("FNSP", tok[0]))
			events = append(events, trace.CheckEvent(kind, uint32(number(t, tok[1:]))))
		default:
			events = append(events, trace.Event(number(t, tok)))
		}
	}
	return events, nil
}

// summary prints an analysis in the notation of testdata.
func summary(s *trace.Sites, a *Analysis) string {
	var b strings.Builder
	for _, d := range a.Chain {
		fmt.Fprintf(&b, "%s: last %s, pass %s, fail %s\n", where(d.Goroutine.Test, d.Class), event(d.LastCommon), event(d.PassNext), event(d.FailNext))
		fmt.Fprintf(&b, "  prefix %d, iteration %d, run %d against %d\n", d.CommonPrefix, d.Iteration, d.FailingRun, d.PassingRun)
		fmt.Fprintf(&b, "  %s, p = %.2g\n", table(d.Table), d.P)
		if d.SamePath {
			fmt.Fprintln(&b, "  same path")
		}
		if d.Loop != nil {
			fmt.Fprintf(&b, "  %s\n", loopWords(d))
		}
		var common, path []string
		for _, c := range d.Common {
			common = append(common, fmt.Sprintf("%dx%d", c.N, c.Block))
		}
		for _, c := range d.Path {
			path = append(path, fmt.Sprintf("%s@%d", s.Funcs[c.Func].Name, c.Block))
		}
		fmt.Fprintf(&b, "  common %s; path %s\n", strings.Join(common, " "), strings.Join(path, " "))
	}
	for _, w := range a.Warnings {
		fmt.Fprintf(&b, "warning: %v\n", w)
	}
	return b.String()
}

func where(test string, class []trace.Frame) string {
	if test == "" {
		test = "process"
	}
	return test + spawned(class)
}

func spawned(class []trace.Frame) (text string) {
	for _, f := range class {
		text += " go " + f.Func
	}
	return text
}

func loopWords(d *Divergence) string {
	switch l := d.Loop; {
	case l.Passing < d.Table.PassTaken+d.Table.PassNot:
		return fmt.Sprintf("loop %d: %d passing runs followed", l.Header, l.Passing)
	case l.More:
		return fmt.Sprintf("loop %d: at least %d times", l.Header, l.Limit)
	default:
		return fmt.Sprintf("loop %d: fewer than %d times", l.Header, l.Limit)
	}
}

func table(t Table) string {
	return fmt.Sprintf("fail %d of %d, pass %d of %d", t.FailTaken, t.FailTaken+t.FailNot, t.PassTaken, t.PassTaken+t.PassNot)
}

func event(e trace.Event) string {
	if kind, stack, ok := e.Check(); ok {
		return fmt.Sprintf("%v #%d", kind, stack)
	}
	if e == 0 {
		return "end"
	}
	return strconv.Itoa(int(e))
}
