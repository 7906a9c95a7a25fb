package crash

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// The program of these tests: each line of a function is a block.
const prog = `package p; import ("os"; "sync"; "testing"; "time")
type bus struct { c chan int; m map[int]int; wg sync.WaitGroup; mu sync.Mutex; p *int }
func TestX(t *testing.T) {
	b := &bus{c: make(chan int), m: make(map[int]int)}
	go stop(b)
	time.Sleep(1)
	b.c <- 1
	b.m[1] = 2
	b.wg.Done()
	println(*b.p)
}
func stop(b *bus) {
	close(b.c)
	b.m[2] = 1
	b.wg.Add(1)
	time.Sleep(1); b.p = new(int)
	os.Exit(3)
}
func once(b *bus) {
	defer b.mu.Unlock()
	b.mu.Unlock()
	return
}
type jar struct { c chan int }
func other(j *jar) {
	close(j.c)
}
`

// sitesOf returns the table of the program, and its blocks by line.
func sitesOf() (*trace.Sites, map[int]int) {
	s := &trace.Sites{Module: "m", Root: "/m", Files: []trace.File{{Path: "p.go", Name: "m/p.go"}}, Blocks: make([]trace.Block, 1)}
	block := make(map[int]int)
	in := false
	for i, text := range strings.Split(prog, "\n") {
		b := trace.Block{Kind: trace.BlockCall, StartLine: i + 1, StartCol: 1, EndLine: i + 1, EndCol: len(text) + 1, Stmts: 1}
		if name, ok := strings.CutPrefix(text, "func "); ok {
			name, _, _ = strings.Cut(name, "(")
			s.Funcs = append(s.Funcs, trace.Func{Name: name, Line: i + 1})
			b.Kind, in = trace.BlockEntry, true
		}
		if !in {
			continue
		}
		b.Func = len(s.Funcs) - 1
		s.Funcs[b.Func].End = i + 1
		s.Blocks = append(s.Blocks, b)
		block[i+1], in = len(s.Blocks)-1, text != "}"
	}
	return s, block
}

// A scene makes runs of the program.
type scene struct {
	sites *trace.Sites
	block map[int]int
}

// goroutine returns what ran lines: "3 4", "wait@2" began to wait at 2, "on@5" went on
// then, "end@9" ended.
func (s *scene) goroutine(n int, text string) *trace.Goroutine {
	var events []trace.Event
	var stamps []trace.Stamp
	var end, at int64
	for _, word := range strings.Fields(text) {
		var line int
		what, _, timed := strings.Cut(word, "@")
		if fmt.Sscanf(word, what+"@%d", &at); what == "end" {
			end = at
		} else if timed {
			stamps = append(stamps, trace.Stamp{Pos: int64(len(events)), Time: at, GoesOn: what == "on"})
		} else if _, err := fmt.Sscan(word, &line); err == nil {
			events = append(events, trace.Event(s.block[line]))
		}
	}
	g := trace.NewGoroutine(trace.GoroutineID(n), "TestX", events)
	g.Number, g.Start, g.End, g.Stamps, g.Root, g.Class = uint64(n), 1, end, stamps, n == 1, uint64(n)
	return g
}

// run returns a run: of a failing one the test's goroutine died.
func (s *scene) run(failed bool, goroutines ...string) Run {
	r := Run{Failed: failed, Trace: &trace.Trace{}}
	for i, text := range goroutines {
		r.Trace.Goroutines = append(r.Trace.Goroutines, s.goroutine(i+1, text))
	}
	if failed {
		r.Dump = []runner.Dumped{{Number: 1}}
	}
	return r
}

// of makes the first goroutine of a run that of another test.
func (s *scene) of(test string, r Run) Run {
	r.Trace.Goroutines[0].Test = test
	return r
}

// find returns the parties to a failure in a line: "before 12 same 2/2 0/1".
func (s *scene) find(message string, line int, runs ...Run) (list []string) {
	c := Find(Input{
		Test: "TestX", Message: message, Frame: trace.Frame{File: "/m/p.go", Line: line}, Exited: message == "", Sites: s.sites, Runs: runs,
		Index: func([]string) *source.Index {
			return source.Load(context.Background(), source.Config{Dir: "/m", Sites: s.sites, Read: func(string) ([]byte, error) { return []byte(prog), nil }})
		},
	})
	if c == nil {
		return nil
	}
	for _, p := range c.Parties {
		text := fmt.Sprintf("%s %d %d/%d", p.Kind, p.At.Line, p.Seen, c.Failing)
		if t := p.Table; t.Total() > 0 {
			text += fmt.Sprintf(" %d-%d %d-%d", t.FailTaken, t.FailNot, t.PassTaken, t.PassNot)
		}
		if p.Same {
			text += " same"
		}
		list = append(list, text)
	}
	return list
}

func TestFind(t *testing.T) {
	sites, block := sitesOf()
	s := &scene{sites, block}
	const (
		test = "3 4 5 6 wait@2 on@10 7"           // up to the send
		goes = test + " 8 wait@11 on@20 9 end@21" // and on
	)
	for name, c := range map[string]struct {
		message string
		line    int
		runs    []Run
		want    []string
	}{
		"closed before": {"panic: send on closed channel", 7, []Run{
			s.run(true, test, "12 on@5 13 wait@6"), s.run(false, goes, "12 on@12 13 end@13"), s.run(false, goes, "12 on@12 13 end@13"),
		}, []string{"before 13 1/1 1-0 0-2 same"}},
		"another type": {"panic: send on closed channel", 7, []Run{
			s.run(true, test, "26 on@5 27 wait@6"), s.run(false, goes),
		}, []string{}},
		"two were made": {"panic: send on closed channel", 7, []Run{
			s.run(true, test, "12 on@5 13 wait@6", "3 4"), s.run(false, goes, "12 on@12 13 end@13"),
		}, []string{"before 13 1/1 1-0 0-1"}},
		// In the passing run the two overlap.
		"in doubt": {"panic: send on closed channel", 7, []Run{
			s.run(true, test, "12 on@5 13 wait@6"), s.run(false, goes, "12 on@9 13 end@13"), s.run(false, goes, "12 on@12 13 end@13"),
		}, []string{"before 13 1/1 1-0 0-1 same"}},
		// Nothing tells when it was closed in the failing run.
		"perhaps": {"panic: send on closed channel", 7, []Run{
			s.run(true, test, "12 on@5 13"), s.run(false, goes, "12 on@12 13 end@13"),
		}, []string{"before 13 1/1 1-0 0-1 same"}},
		"not the last visit": {"panic: send on closed channel", 7, []Run{
			s.run(true, test+" 8", "12 on@5 13 wait@6"), s.run(false, goes),
		}, nil},
		"map": {"fatal error: concurrent map writes", 8, []Run{
			s.run(true, test+" 8", "12 13 14"), s.run(false, goes),
		}, []string{"concurrent 14 1/1 same"}},
		"its goroutine had ended": {"fatal error: concurrent map writes", 8, []Run{
			s.run(true, test+" 8", "12 13 14 end@9"), s.run(false, goes),
		}, []string{}},
		"late": {"panic: sync: negative WaitGroup counter", 9, []Run{
			s.run(true, test+" 8 9", "12 13"), s.run(false, goes, "12 13 14 15 end@8"),
		}, []string{"late 15 1/1 1-0 0-1"}},
		// It is set after the wait in its block.
		"unset": {"panic: runtime error: invalid memory address or nil pointer dereference [signal SIGSEGV]", 10, []Run{
			s.run(true, test+" 8 9 10", "12 16 wait@3"), s.run(true, test+" 8 9 10", "12 16 wait@3 on@30"), s.run(false, test+" 8 9 10", "12 16 wait@3 on@5 end@6"),
		}, []string{"late 16 2/2 1-0 0-1"}},
		"unlocked": {"fatal error: sync: unlock of unlocked mutex", 22, []Run{
			s.run(true, "19 20 21 22"), s.run(false, "19 20 22 end@5"),
		}, []string{"before 21 1/1 1-0 0-1"}},
		"exit": {"", 0, []Run{
			s.run(true, test, "12 17"), s.run(true, test, "12 16 wait@3"),
		}, []string{"concurrent 17 1/2"}},
		"another test's": {"panic: boom", 13, []Run{s.of("TestY", s.run(true, "12 13", test)), s.run(false, test)}, []string{"concurrent 13 1/1"}},
		"another panic":  {"panic: boom", 7, []Run{s.run(true, test, "12 13"), s.run(false, goes)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.find(c.message, c.line, c.runs...)
			if d := cmp.Diff(c.want, got); d != "" && len(c.want)+len(got) > 0 {
				t.Error(d)
			}
		})
	}
}

// TestBetween has what is known of when a statement was done whose block begins with
// a wait.
func TestBetween(t *testing.T) {
	sites, block := sitesOf()
	s := &scene{sites, block}
	f := &finder{Input: Input{Sites: sites}}
	f.code = source.Load(context.Background(), source.Config{Dir: "/m", Sites: sites, Read: func(string) ([]byte, error) { return []byte(prog), nil }})
	set := f.code.Block(block[16], source.Write)
	for text, want := range map[string][2]int64{
		"12 16 wait@3 on@7 end@9":    {7, 9},
		"12 16 wait@3 on@7 17 end@9": {7, 9},
		"12 16 wait@3 on@7":          {7, math.MaxInt64},
	} {
		list := f.visits(s.goroutine(2, text), map[int][]*source.Op{block[16]: set})
		if len(list) != 1 || [2]int64{list[0].earliest, list[0].latest} != want {
			t.Errorf("%s: got %+v, want %v", text, list, want)
		}
	}
}
