package crash

import (
	"context"
	"fmt"
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

// goroutine returns a goroutine that ran lines: "3 4", "wait@2" began to wait at 2, "on@5" went on
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

// run returns a run in which the first goroutine died.
func (s *scene) run(goroutines ...string) Run {
	r := Run{Trace: &trace.Trace{}, Dump: []runner.Dumped{{Number: 1}}}
	for i, text := range goroutines {
		r.Trace.Goroutines = append(r.Trace.Goroutines, s.goroutine(i+1, text))
	}
	return r
}

// find returns the parties to a failure in a line: "13 2/2".
func (s *scene) find(message string, line int, runs ...Run) (list []string) {
	c := Find(Input{
		Message: message, Frame: trace.Frame{File: "/m/p.go", Line: line}, Exited: message == "", Sites: s.sites, Runs: runs,
		Index: func([]string) *source.Index {
			return source.Load(context.Background(), source.Config{Dir: "/m", Sites: s.sites, Read: func(string) ([]byte, error) { return []byte(prog), nil }})
		},
	})
	if c == nil {
		return nil
	}
	for _, p := range c.Parties {
		list = append(list, fmt.Sprintf("%d %d/%d", p.At.Line, p.Seen, c.Failing))
	}
	return list
}

func TestFind(t *testing.T) {
	sites, block := sitesOf()
	s := &scene{sites, block}
	const test = "3 4 5 6 wait@2 on@10 7" // up to the send
	for name, c := range map[string]struct {
		message string
		line    int
		runs    []Run
		want    []string
	}{
		"closed": {"panic: send on closed channel", 7, []Run{
			s.run(test, "12 on@5 13 wait@6"), s.run(test, "12 13 end@13"),
		}, []string{"13 2/2"}},
		"another type": {"panic: send on closed channel", 7, []Run{s.run(test, "26 on@5 27 wait@6")}, nil},
		"closed once":  {"panic: close of closed channel", 13, []Run{s.run("12 13", test)}, nil},
		"closed twice": {"panic: close of closed channel", 13, []Run{s.run("12 13", test, "12 13")}, []string{"13 1/1"}},
		"map": {"fatal error: concurrent map writes", 8, []Run{
			s.run(test+" 8", "12 13 14"),
		}, []string{"14 1/1"}},
		"both run the same": {"fatal error: concurrent map writes", 14, []Run{
			s.run("12 13 14", "12 13 14"),
		}, []string{"14 1/1"}},
		"its goroutine had ended": {"fatal error: concurrent map writes", 8, []Run{s.run(test+" 8", "12 13 14 end@9")}, nil},
		"exit": {"", 0, []Run{
			s.run(test, "12 17"), s.run(test, "12 16 wait@3"),
		}, []string{"17 1/2"}},
		"another panic": {"panic: boom", 7, []Run{s.run(test, "12 13")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.find(c.message, c.line, c.runs...)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
