package crash

import (
	"cmp"
	"math"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

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
// except for the one that failed.
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
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.Caller.File, b.Caller.File), cmp.Compare(a.Caller.Line, b.Caller.Line))
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
func (f *finder) one(kind finding.PartyKind, o *source.Op, ran []map[key][]visit,
	is func(key) bool) (p finding.Party, ok bool) {
	visits := make([][]visit, len(ran))
	for i := range ran {
		for k, list := range ran[i] {
			if is(k) {
				visits[i] = append(visits[i], list...)
			}
		}
	}
	if kind == finding.PartyConcurrent {
		p, ok = f.concurrent(visits), true
	} else {
		p, ok = f.counted(kind, visits)
	}
	p.Kind, p.At, p.Of, p.Same = kind, f.frame(o), f.own.Name(), f.same
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
		loose.Add(failed, so || !known)
		if known {
			strict.Add(failed, so)
		}
	}
	if p.Table = strict; strict.FailTaken == 0 {
		p.Table = loose
	}
	// Where the statement did not fail though it was so, it was another thing.
	t := p.Table
	return p, t.FailTaken*(t.PassTaken+t.PassNot) > t.PassTaken*(t.FailTaken+t.FailNot) ||
		t.FailTaken > 0 && t.PassTaken == 0
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

// concurrent counts the failing runs that another goroutine was, or may have been, at
// a statement when the process died: it had not ended, and had not been seen
// elsewhere since.
func (f *finder) concurrent(visits [][]visit) (p finding.Party) {
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

// worth orders parties: by whether runs tell, and in how many failing runs it was so.
func worth(p finding.Party) float64 {
	if p.Kind == finding.PartyConcurrent {
		return float64(p.Seen)
	}
	return 1 - p.Table.Fisher()
}
