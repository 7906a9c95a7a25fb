package crash

import (
	"cmp"
	"go/types"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// maxParties is how many parties are kept.
const maxParties = 3

// An Input is the failing runs of one test, for one failure.
type Input struct {
	Message string      // of the failure
	Frame   trace.Frame // where it failed
	Exited  bool        // the process ended without a word of the runtime
	Runs    []Run
	Sites   *trace.Sites
	// Index returns the source of packages, by import path. It is called only if the
	// message is one that is known.
	Index func(packages []string) *source.Index
}

// A Run is one failing run of the test.
type Run struct {
	Trace *trace.Trace
	Dump  []runner.Dumped
}

// A kind is what the runtime says, which operations it is about, and which others bring it about.
type kind struct {
	words string // without "panic: " or "fatal error: "
	name  finding.CrashKind
	own   func(*source.Op) bool
	party func(*source.Op) bool
}

func closes(o *source.Op) bool    { return o.Kind == source.Release && o.How == "close" }
func sends(o *source.Op) bool     { return o.Kind == source.Release && o.How == "chan send" }
func writesMap(o *source.Op) bool { return o.Kind == source.Write && o.Elem && onMap(o) }
func readsMap(o *source.Op) bool  { return o.Kind == source.Read && o.Elem && onMap(o) }
func iterates(o *source.Op) bool  { return o.Kind == source.Draw && o.How == "map order" }

func onMap(o *source.Op) bool {
	if o.Obj() == nil || o.Obj().Type() == nil {
		return false
	}
	_, is := o.Obj().Type().Underlying().(*types.Map)
	return is
}

// kinds are the panics and fatal errors that are known.
var kinds = []kind{
	{"send on closed channel", finding.CrashClosed, sends, closes},
	{"close of closed channel", finding.CrashClosed, closes, closes},
	{"concurrent map writes", finding.CrashMap, writesMap, writesMap},
	{"concurrent map read and map write", finding.CrashMap, readsMap, writesMap},
	{"concurrent map iteration and map write", finding.CrashMap, iterates, writesMap},
}

// kindOf returns the kind of crash that a process died from, nil if it is none of these.
func kindOf(message string) *kind {
	for i := range kinds {
		for _, begin := range []string{"panic: ", "fatal error: "} {
			if strings.HasPrefix(message, begin+kinds[i].words) {
				return &kinds[i]
			}
		}
	}
	return nil
}

// Find returns the other parties to a failure, nil if it is of another kind, or if
// the statement that failed is not known.
func Find(in Input) *finding.Crash {
	k := kindOf(in.Message)
	rel, ok := in.Sites.Rel(in.Frame.File)
	if !in.Exited && (k == nil || !ok) {
		return nil
	}
	f := &finder{Input: in, out: &finding.Crash{Kind: finding.CrashExit, At: in.Frame, Failing: len(in.Runs)}}
	f.code = in.Index(f.packages())
	if in.Exited {
		for i := range f.Runs {
			f.count(f.exits(f.Runs[i].Trace))
		}
	} else if !f.others(k, rel) {
		return nil
	}
	list := f.out.Parties
	slices.SortStableFunc(list, func(a, b finding.Party) int { return cmp.Compare(b.Seen, a.Seen) })
	f.out.Parties = list[:min(len(list), maxParties)]
	return f.out
}

// A finder does one search.
type finder struct {
	Input
	code *source.Index
	out  *finding.Crash
}

// count adds to the parties those of one run, each once.
func (f *finder) count(list []finding.Party) {
	for _, p := range slices.Compact(list) {
		k := slices.IndexFunc(f.out.Parties, func(o finding.Party) bool { return o.At == p.At && o.Test == p.Test })
		if k < 0 {
			k = len(f.out.Parties)
			f.out.Parties = append(f.out.Parties, p)
		}
		f.out.Parties[k].Seen++
	}
}

// packages returns the import paths of the user's code that is recorded in the module
// of the test: what closes a channel may be anywhere in it.
func (f *finder) packages() (list []string) {
	for i := range f.Runs {
		list = append(list, f.Sites.Packages(f.Runs[i].Trace.Goroutines)...)
	}
	return list
}

// ran returns how often goroutines ran each block.
func (f *finder) ran(gs []*trace.Goroutine) []int64 {
	counts, _, _ := f.Sites.Counts(gs) // of a trace that can't be read nothing ran
	return counts
}

// others counts the statements on what may be the same that ran in failing runs, and reports whether the statement is
// known that failed. That may be one of them too: another goroutine runs it, or it ran before.
func (f *finder) others(k *kind, rel string) bool {
	lines := f.code.Lines(rel, f.Frame.Line, f.Frame.Line)
	i := slices.IndexFunc(lines, func(o *source.Op) bool { return o.Obj() != nil && k.own(o) })
	if i < 0 {
		return false
	}
	failed := lines[i]
	f.out.Kind = k.name
	for i := range f.Runs {
		gs, before := f.Runs[i].Trace.Goroutines, int64(1)
		if k.name == finding.CrashMap {
			gs, before = f.alive(&f.Runs[i]), 0
		}
		var list []finding.Party
		for b, n := range f.ran(gs) {
			for _, o := range f.code.Block(b) {
				same := o == failed && n > before || o != failed && n > 0 && (f.code.Same(failed, o) || f.code.Same(o, failed))
				if same && k.party(o) {
					list = append(list, finding.Party{At: f.frame(o), Of: failed.Name()})
				}
			}
		}
		f.count(list)
	}
	return true
}

// alive returns the goroutines of a run that had not ended, without the one that died.
func (f *finder) alive(r *Run) []*trace.Goroutine {
	return slices.DeleteFunc(slices.Clone(r.Trace.Goroutines), func(g *trace.Goroutine) bool {
		return g.End != 0 || len(r.Dump) > 0 && g.Number == r.Dump[0].Number
	})
}

// exiting are functions that end the process.
var exiting = []string{
	"os.Exit", "syscall.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Logger.Fatal", "log.Logger.Fatalf",
	"log.Logger.Fatalln",
}

// exits returns the calls that may have ended the process of a run: in the last block of goroutines that did not wait.
// TestMain's own waits for the tests.
func (f *finder) exits(t *trace.Trace) (list []finding.Party) {
	for _, g := range t.Goroutines {
		n := len(g.Stamps)
		if g.End != 0 || g.Entry.Func == "runtime.main" || g.Len() == 0 ||
			n > 0 && !g.Stamps[n-1].GoesOn && g.Stamps[n-1].Pos == g.Len() {
			continue
		}
		events, _, err := g.LoadAt(g.Len() - 1)
		if err != nil || len(events) == 0 {
			continue
		}
		last, _ := events[len(events)-1].Block()
		for _, o := range f.code.Block(last, source.Call) {
			if slices.Contains(exiting, o.How) {
				list = append(list, finding.Party{At: f.frame(o), Test: g.Test})
			}
		}
	}
	return list
}

// frame returns the place of an operation.
func (f *finder) frame(o *source.Op) trace.Frame {
	if !f.Sites.Has(o.Block) {
		return trace.Frame{}
	}
	return f.Sites.Frame(f.Sites.Blocks[o.Block].Func, f.code.Line(o.Node))
}
