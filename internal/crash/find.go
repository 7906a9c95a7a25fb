package crash

import (
	"cmp"
	"go/types"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
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

// worth orders parties: by whether runs tell, and in how many failing runs it was so.
func worth(p finding.Party) float64 {
	if p.Kind == finding.PartyMeanwhile {
		return float64(p.Seen)
	}
	return 1 - p.Table.Fisher()
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
		if span, ok := f.Sites.Pos(b); ok && span.File == rel && span.Start <= f.Frame.Line && f.Frame.Line <= span.End {
			in = f.Sites.Blocks[b].Func // of blocks one within the other the inner one comes later
		}
	}
	if in < 0 {
		return nil
	}
	fn := f.Sites.Funcs[in]
	for _, o := range f.code.Lines(rel, fn.Line, fn.End) {
		if f.kind.own(o) && f.code.AtEnd(o) && f.Sites.Has(o.Block) && f.Sites.Blocks[o.Block].Func == in && o.Obj() != nil {
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
	return a.Root == b.Root && a.Class == b.Class && a.Spawn == b.Spawn && topOf(a.Test) == topOf(b.Test)
}

func topOf(test string) string {
	top, _, _ := strings.Cut(test, "/")
	return top
}

// ours reports whether a goroutine may have to do with the test: those of other tests
// only if the thing is a variable of the package.
func (f *finder) ours(g *trace.Goroutine) bool {
	return g.Test == "" || topOf(g.Test) == topOf(f.Test) || source.Global(f.own.Path[0])
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

// A key says what visits of different runs have in common.
type key struct {
	op    *source.Op
	from  trace.Frame
	spawn trace.Frame
	class uint64
	root  bool
}

// candidates returns the operations that a party is one of, by block.
func (f *finder) candidates(p party) map[int][]*source.Op {
	list := make(map[int][]*source.Op)
	for b := range f.Sites.Blocks {
		for _, o := range f.code.Block(b) {
			if p.is(o) && (o == f.own || f.code.Same(f.own, o) || f.code.Same(o, f.own)) {
				list[b] = append(list[b], o)
			}
		}
	}
	return list
}

// visitsIn returns the visits of operations in a run, by what they have in common,
// but for the one that failed.
func (f *finder) visitsIn(m *moment, list map[int][]*source.Op) map[key][]visit {
	out := make(map[key][]visit)
	for _, g := range m.Trace.Goroutines {
		if !f.ours(g) || m.at != nil && g == m.at.g && f.kind.name == finding.CrashValue {
			continue // what a goroutine has set itself is the same each time
		}
		visits := f.visits(g, list)
		if m.at != nil && m.at.g == g {
			visits = f.withoutOwn(visits, m.at.i)
		}
		for _, v := range visits {
			k := key{v.op, v.from, g.Spawn, g.Class, g.Root}
			out[k] = append(out[k], v)
		}
	}
	return out
}

// withoutOwn leaves out the visit that failed: it is known by the block that ran
// last, or, if it was deferred, the one by which it was.
func (f *finder) withoutOwn(list []visit, at int) []visit {
	for i, v := range slices.Backward(list) {
		if v.op == f.own && v.i <= at {
			return slices.Delete(list, i, i+1)
		}
	}
	return list
}

// parties returns the statements that are a party of a kind.
func (f *finder) parties(p party) []finding.Party {
	list := f.candidates(p)
	var ran []map[key][]visit // in failing, then in passing runs
	for _, m := range append(slices.Clone(f.failing), f.passing...) {
		ran = append(ran, f.visitsIn(m, list))
	}
	var out []finding.Party
	for _, ops := range list {
		for _, o := range ops {
			out = append(out, f.party(p.kind, o, ran)...)
		}
	}
	slices.SortFunc(out, func(a, b finding.Party) int { // maps have no order
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.Caller.File, b.Caller.File), cmp.Compare(a.Caller.Line, b.Caller.Line))
	})
	return out
}

// party returns a statement as a party, whoever ran it, or, if that tells more, those
// goroutines and callers of its function that are.
func (f *finder) party(kind finding.PartyKind, o *source.Op, ran []map[key][]visit) []finding.Party {
	callers := make(map[key]func(key) bool)
	froms := make(map[trace.Frame]bool)
	for _, visits := range ran {
		for k := range visits {
			if k.op == o {
				callers[k] = func(other key) bool { return other == k }
				froms[k.from] = true
			}
		}
	}
	if len(callers) == 0 {
		return nil
	}
	all, ok := f.one(kind, o, ran, func(k key) bool { return k.op == o })
	if len(froms) == 1 {
		for all.Caller = range froms {
		}
	}
	var some []finding.Party
	best := worth(all)
	for k, is := range callers {
		if one, good := f.one(kind, o, ran, is); good && (!ok || worth(one) > best) {
			one.Caller = k.from
			some = append(some, one)
		}
	}
	if len(some) > 0 {
		slices.SortFunc(some, func(a, b finding.Party) int {
			return cmp.Or(cmp.Compare(worth(b), worth(a)), cmp.Compare(a.Caller.Line, b.Caller.Line))
		})
		return some[:1]
	}
	if !ok {
		return nil
	}
	return []finding.Party{all}
}

// one returns what is known of some visits of a statement as a party; ok is false if
// they are none.
func (f *finder) one(kind finding.PartyKind, o *source.Op, ran []map[key][]visit, is func(key) bool) (p finding.Party, ok bool) {
	visits := make([][]visit, len(ran))
	for i := range ran {
		for k, list := range ran[i] {
			if is(k) {
				visits[i] = append(visits[i], list...)
			}
		}
	}
	if kind == finding.PartyMeanwhile {
		p, ok = f.meanwhile(visits), true
	} else {
		p, ok = f.counted(kind, visits)
	}
	p.Kind, p.At, p.Code, p.Of, p.Same = kind, f.frame(o), f.code.Text(o.Node), f.own.Name(), f.same
	return p, ok && p.Seen > 0
}

// counted counts the runs in which a party came before the statement that failed, or
// did not.
func (f *finder) counted(kind finding.PartyKind, visits [][]visit) (finding.Party, bool) {
	p := finding.Party{}
	var strict, loose divergence.Table
	for i, m := range append(slices.Clone(f.failing), f.passing...) {
		failed := i < len(f.failing)
		so, known := f.came(visits[i], m.at)
		if kind == finding.PartyLate {
			if so = !so; m.at == nil {
				continue // what should have been late?
			}
		}
		if failed && (so || !known) {
			p.Seen++
		}
		count(&loose, failed, so || !known)
		if known {
			count(&strict, failed, so)
		}
	}
	if p.Table = strict; strict.FailTaken == 0 {
		p.Table, p.Perhaps = loose, true
	}
	// Where the statement did not fail though it was so, it was another thing.
	t := p.Table
	return p, t.FailTaken*(t.PassTaken+t.PassNot) > t.PassTaken*(t.FailTaken+t.FailNot) || t.FailTaken > 0 && t.PassTaken == 0
}

// came reports whether one of some visits came before another one.
func (f *finder) came(list []visit, at *visit) (so, known bool) {
	known = true
	if at == nil {
		return false, true
	}
	for _, v := range list {
		switch f.orderOf(v, *at) {
		case before:
			return true, true
		case unknown:
			known = false
		}
	}
	return false, known
}

func count(t *divergence.Table, failed, so bool) {
	switch {
	case failed && so:
		t.FailTaken++
	case failed:
		t.FailNot++
	case so:
		t.PassTaken++
	default:
		t.PassNot++
	}
}

// meanwhile counts the failing runs that another goroutine was, or may have been, at
// a statement when the process died: it had not ended, and had not been seen
// elsewhere since.
func (f *finder) meanwhile(visits [][]visit) (p finding.Party) {
	for i, m := range f.failing {
		for _, v := range visits[i] {
			if v.g != m.at.g && v.latest > m.at.earliest && v.earliest != math.MaxInt64 {
				p.Seen++
				break
			}
		}
	}
	return p
}
