package crash

import (
	"cmp"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// maxParties is how many parties are kept.
const maxParties = 3

// An Input is the runs of one test, for one failure.
type Input struct {
	Test    string
	Message string      // of the failure
	Frame   trace.Frame // where it failed
	Exited  bool        // the process ended without a word of the runtime
	Runs    []Run
	Sites   *trace.Sites
	// Index returns the source of packages, by import path. It is called only if the
	// message is one that is known.
	Index func(packages []string) *source.Index
}

// A Run is one run of the test.
type Run struct {
	Failed bool
	Trace  *trace.Trace
	Dump   []runner.Dumped // of a failing run
}

// Find returns who else had to do with a failure, nil if it is of another kind, or if
// the statement that failed is not known.
func Find(in Input) *finding.Crash {
	f := &finder{Input: in, kind: kindOf(in.Message)}
	if in.Exited {
		f.code = in.Index(f.packages())
		return f.exit()
	}
	if c := f.foreign(); c != nil {
		return c
	}
	rel, ok := in.Sites.Rel(in.Frame.File)
	if f.kind == nil || !ok {
		return nil
	}
	f.code = in.Index(f.packages())
	var out *finding.Crash
	for _, own := range f.failed(rel) {
		f.own, f.failing, f.passing = own, nil, nil
		f.look()
		if len(f.failing) == 0 {
			continue
		}
		if out == nil {
			out = &finding.Crash{Kind: f.kind.name, At: in.Frame, Failing: len(f.failing)}
		}
		for _, p := range f.kind.parties {
			out.Parties = append(out.Parties, f.parties(p)...)
		}
	}
	if out == nil {
		return nil
	}
	slices.SortStableFunc(out.Parties, func(a, b finding.Party) int { return cmp.Compare(worth(b), worth(a)) })
	for i := range out.Parties {
		out.Parties[i].Only = len(out.Parties) == 1
	}
	out.Parties = out.Parties[:min(len(out.Parties), maxParties)]
	return out
}

// A finder does one search.
type finder struct {
	Input
	kind    *kind
	code    *source.Index
	own     *source.Op // that failed
	failing []*moment
	passing []*moment
	same    bool // see finding.Party
}

// A moment is a run, when the statement was run.
type moment struct {
	*Run
	at *visit // nil if it was not
}

// packages returns the import paths of the user's code that is recorded in the module
// of the test: what closes a channel may be anywhere in it.
func (f *finder) packages() []string {
	ran := make([]bool, len(f.Sites.Blocks))
	for i := range f.Runs {
		for _, g := range f.Runs[i].Trace.Goroutines {
			for _, e := range eventsOf(g) {
				if b, ok := e.Block(); ok && f.Sites.Has(b) {
					ran[b] = true
				}
			}
		}
	}
	var list []string
	for b, is := range ran {
		if is {
			name := f.Sites.Files[f.Sites.FileOf(b)].Name
			list = append(list, strings.TrimSuffix(name, "/"+filepath.Base(name)))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// failed returns the operations that may have failed: the first in the line that the
// dump has, or deferred by the function that ended there. Of what was read in the
// line any may be at fault.
func (f *finder) failed(rel string) (list []*source.Op) {
	for _, o := range f.code.Lines(rel, f.Frame.Line, f.Frame.Line) {
		if o.Obj() != nil && f.kind.own(o) && !f.code.AtEnd(o) {
			list = append(list, o)
		}
	}
	if f.kind.name == finding.CrashValue {
		return f.read(list)
	}
	if len(list) > 0 {
		return []*source.Op{f.atHead(list[0])}
	}
	in := -1 // the function that was left
	for b := range f.Sites.Blocks {
		if span, ok := f.Sites.Pos(b); ok && span.File == rel && span.Start <= f.Frame.Line &&
			f.Frame.Line <= span.End {
			in = f.Sites.Blocks[b].Func // of blocks one within the other the inner one comes later
		}
	}
	if in < 0 {
		return nil
	}
	fn := f.Sites.Funcs[in]
	for _, o := range f.code.Lines(rel, fn.Line, fn.End) {
		if f.kind.own(o) && f.code.AtEnd(o) && f.Sites.Has(o.Block) &&
			f.Sites.Blocks[o.Block].Func == in && o.Obj() != nil {
			return []*source.Op{o}
		}
	}
	return nil
}

// atHead returns a send of a select as an operation of the block that comes to the
// select: its own is not run if the send panics.
func (f *finder) atHead(o *source.Op) *source.Op {
	for _, r := range f.code.In(o.Node, source.Read) {
		if slices.Equal(r.Path, o.Path) && r.Block != o.Block {
			head := *o
			head.Block = r.Block
			return &head
		}
	}
	return o
}

// read returns what some operations read that other goroutines may know: of s.conn.n
// also what leads there.
func (f *finder) read(ops []*source.Op) (list []*source.Op) {
	known := make(map[types.Object]bool)
	for _, o := range ops {
		for i, obj := range o.Path {
			if known[obj] || !f.code.Shared(obj) {
				continue
			}
			known[obj] = true
			part := *o
			part.Path = o.Path[:i+1]
			list = append(list, &part)
		}
	}
	return list
}

// look finds the statement that failed in all runs: the last time that it was run
// by the goroutine that died of it, or by its counterpart.
func (f *finder) look() {
	var shown *visit
	for i := range f.Runs {
		r := &f.Runs[i]
		if !r.Failed {
			continue
		}
		g := died(r)
		if g == nil {
			continue
		}
		if v := f.last(g); v != nil && f.final(v) {
			f.failing = append(f.failing, &moment{r, v})
			if shown == nil {
				shown = v
			}
		}
	}
	if shown == nil {
		return
	}
	f.same = f.kind.name != finding.CrashValue // which is of a variable, however often it is set
	for _, m := range f.failing {
		f.same = f.same && f.madeOnce(m)
	}
	for i := range f.Runs {
		if r := &f.Runs[i]; !r.Failed {
			if g, known := counterpart(r.Trace, shown.g); known {
				m := &moment{Run: r}
				if g != nil {
					m.at = f.last(g)
				}
				f.passing = append(f.passing, m)
			}
		}
	}
}

// last returns the last visit of the statement that failed.
func (f *finder) last(g *trace.Goroutine) *visit {
	list := f.visits(g, map[int][]*source.Op{f.own.Block: {f.own}})
	if len(list) == 0 {
		return nil
	}
	return &list[len(list)-1]
}

// final reports whether a function came no further than a visit: else it is not the one
// that it died in.
func (f *finder) final(v *visit) bool { return f.lastOf(eventsOf(v.g), v.i) == v.i }

// counterpart returns the goroutine of another run: the same by identity, or the only
// one of its class. It is not known which if there are several; nil if there is none.
func counterpart(t *trace.Trace, g *trace.Goroutine) (found *trace.Goroutine, known bool) {
	for _, h := range t.Goroutines {
		if h.ID == g.ID {
			return h, true
		}
		if alike(g, h) {
			if found != nil {
				return nil, false
			}
			found = h
		}
	}
	return found, true
}

func alike(a, b *trace.Goroutine) bool {
	return a.Root == b.Root && a.Class == b.Class && a.Spawn == b.Spawn &&
		trace.TopTest(a.Test) == trace.TopTest(b.Test)
}

// ours reports whether a goroutine may have to do with the test: those of other tests
// only if the thing is a variable of the package.
func (f *finder) ours(g *trace.Goroutine) bool {
	return g.Test == "" || trace.TopTest(g.Test) == trace.TopTest(f.Test) || source.Global(f.own.Path[0])
}

// madeOnce reports whether only one thing had been made, by the statements that make
// what the failed one is on, when a process died.
func (f *finder) madeOnce(m *moment) bool {
	made, all := f.code.Made(f.own)
	if !all {
		return false
	}
	n := 0
	blocks := make(map[int][]*source.Op)
	for _, o := range made {
		if o.Block == 0 {
			n++ // with the package
		}
		blocks[o.Block] = append(blocks[o.Block], o)
	}
	for _, g := range m.Trace.Goroutines {
		n += len(f.visits(g, blocks))
	}
	return n == 1
}

// frame returns the place of an operation.
func (f *finder) frame(o *source.Op) trace.Frame {
	if !f.Sites.Has(o.Block) {
		return trace.Frame{}
	}
	return trace.Frame{
		Func: f.Sites.Funcs[f.Sites.Blocks[o.Block].Func].Name,
		File: filepath.Join(f.Sites.Root, filepath.FromSlash(f.Sites.Files[f.Sites.FileOf(o.Block)].Path)),
		Line: f.code.Line(o.Node),
	}
}
