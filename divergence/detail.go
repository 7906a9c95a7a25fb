package divergence

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// maxNamed is how many runs a warning names.
const maxNamed = 10

// findEvent returns the position of e's first occurrence in g, or g's length.
func findEvent(g *trace.Goroutine, e trace.Event) (pos int64, ok bool, err error) {
	err = eachChunk(g, 0, func(at int64, events []trace.Event) bool {
		if i := slices.Index(events, e); i >= 0 {
			pos, ok = at+int64(i), true
		}
		return !ok
	})
	if !ok {
		pos = g.Len()
	}
	return pos, ok, err
}

// detail fills in a divergence. It shows the given failing run, if that has the divergence.
func (a *analysis) detail(f *finding, run int) (*Divergence, error) {
	fail := a.representative(f.candidate, run)
	g := f.lane.streams[fail.run]
	d := &Divergence{
		Goroutine: g, Class: a.classes[f.class].frames,
		FailingRun: a.in.Runs[fail.run].N, CommonPrefix: fail.pos,
		LastCommon: f.lastCommon(), PassNext: f.passNext, FailNext: f.failNext(), Loop: f.loop,
		Table: f.table, P: f.p,
	}
	if c := a.checks[fail.run]; c.lane != nil {
		d.OtherFailed = c.lane != f.lane
	}
	pass := a.peer(f, fail, d)
	if pass.run >= 0 {
		d.PassingRun = a.in.Runs[pass.run].N
		if d.PassNext == 0 && !f.coarse {
			d.PassNext = passNext(f.lane.streams[fail.run], f.lane.streams[pass.run], pass.pos, d)
		}
	}
	d.SamePath = isCheck(d.FailNext) && !isCheck(d.PassNext)
	a.countWays(f, d)
	if err := a.prefix(f, d, fail, pass); err != nil {
		return nil, err
	}
	d.Exact = pass.run >= 0 && !f.coarse && common(g, f.lane.streams[pass.run]) >= d.CommonPrefix
	return d, nil
}

// countWays counts how many runs took each of the two ways at a divergence.
func (a *analysis) countWays(f *finding, d *Divergence) {
	d.Left = f.rewind
	took := newRunSet(len(a.in.Runs))
	for _, p := range f.passes {
		if eventAt(f.lane.streams[p.run], p.pos) == d.PassNext && !f.coarse {
			took.add(p.run)
		}
	}
	d.PassTook = took.count(a.cohort.pass)
}

// peer returns the passing run to show beside a failing one: the one with the longest common
// prefix among those that were there and went the way shown.
func (a *analysis) peer(f *finding, fail place, d *Divergence) place {
	g := f.lane.streams[fail.run]
	if f.exact {
		streams, runs := f.lane.in(a.cohort.pass)
		p := newTrie(streams, runs).leave(g, -1)
		d.PassNext = p.other
		return place{p.with[0], p.pos}
	}
	best, most := place{-1, 0}, int64(-1)
	for _, p := range f.passes {
		if n := common(g, f.lane.streams[p.run]); n > most {
			best, most = p, n
		}
	}
	return best
}

// passNext returns the event of a passing run where a failing one went on with FailNext: where the
// two part, or else after LastCommon, from pos on. It returns 0 only if its stream ends there,
// not if other runs just have no edge to compare with.
func passNext(fail, pass *trace.Goroutine, pos int64, d *Divergence) trace.Event {
	if n := common(fail, pass); n > 0 && eventAt(pass, n-1) == d.LastCommon {
		return eventAt(pass, n)
	}
	last, next := trace.Event(0), trace.Event(0)
	// An unreadable part is not known to go on.
	_ = eachBefore(pass, pass.Len(), func(at int64, events []trace.Event) {
		for i, e := range events {
			if at+int64(i) > pos && next == 0 && last == d.LastCommon && e != d.FailNext {
				next = e
			}
			last = e
		}
	})
	return next
}

// prefix describes the common prefix: its blocks, and the call path at its end.
func (a *analysis) prefix(f *finding, d *Divergence, fail, pass place) error {
	mine := newTally(a.code)
	if err := mine.read(f.lane.streams[fail.run], fail.pos, d.LastCommon); err != nil {
		return a.inRun(fail.run, err)
	}
	if f.rewind && mine.lastPos >= 0 {
		d.CommonPrefix = mine.lastPos + 1
		mine = newTally(a.code)
		if err := mine.read(f.lane.streams[fail.run], d.CommonPrefix, d.LastCommon); err != nil {
			return a.inRun(fail.run, err)
		}
	}
	d.Iteration = mine.lastCount
	d.Path = mine.callStack.path()
	counts := mine.counts
	if !f.exact && pass.run >= 0 {
		theirs := newTally(a.code)
		if err := theirs.read(f.lane.streams[pass.run], pass.pos, d.LastCommon); err != nil {
			return a.inRun(pass.run, err)
		}
		for i := range counts {
			if theirs.counts[i] == 0 {
				counts[i] = 0
			}
		}
	}
	for _, b := range mine.order {
		if counts[b] > 0 {
			d.Common = append(d.Common, Count{int(b), counts[b]})
		}
	}
	return nil
}

// A tally counts the blocks of the beginning of a stream.
type tally struct {
	callStack callStack
	counts    []int64 // by block
	order     []int32 // blocks in the order in which they first ran
	lastPos   int64   // position of the last occurrence of the given event, or -1
	lastCount int64   // number of its occurrences
}

func newTally(c *code) *tally {
	return &tally{callStack: callStack{code: c}, counts: make([]int64, len(c.blocks)), lastPos: -1}
}

// read counts the events of g before position end, and occurrences of last.
func (t *tally) read(g *trace.Goroutine, end int64, last trace.Event) error {
	return eachBefore(g, end, func(pos int64, events []trace.Event) {
		for i, e := range events {
			t.callStack.step(e, 0, pos+int64(i))
			if e == last {
				t.lastPos = pos + int64(i)
				t.lastCount++
			}
			if int(e) < len(t.counts) {
				if t.counts[e] == 0 {
					t.order = append(t.order, int32(e))
				}
				t.counts[e]++
			}
		}
	})
}

// warnRuns warns of too few runs.
func (a *analysis) warnRuns(warn func(string, ...any)) {
	if a.cohort.nFail == 1 {
		warn("%w", ErrOneFailing)
	}
	if a.cohort.nPass == 1 {
		warn("%w", ErrOnePassing)
	}
}

// Warnings about runs that were not compared. A report may say more about them.
var (
	ErrOneFailing = errors.New("only 1 failing run")
	ErrOnePassing = errors.New("only 1 passing run")
)

// warnTruncated adds one warning that says which runs have incomplete traces, and why the first
// of them is incomplete.
func (a *analysis) warnTruncated(warn func(string, ...any)) {
	var cut []string
	why := ""
	for _, r := range a.in.Runs {
		if r.Trace.Truncated == "" {
			continue
		}
		if why == "" {
			why = r.Trace.Truncated
		}
		cut = append(cut, strconv.Itoa(r.N))
	}
	switch n := len(cut); {
	case n == 1:
		warn("trace truncated: run %s: %s", cut[0], why)
	case n > maxNamed:
		warn("traces truncated: runs %s and %d more: %s", strings.Join(cut[:maxNamed], ", "), n-maxNamed, why)
	case n > 1:
		warn("traces truncated: runs %s: %s", strings.Join(cut, ", "), why)
	}
}

// warn adds warnings about the analysis as a whole.
func (a *analysis) warn() {
	warn := func(format string, args ...any) {
		a.out.Warnings = append(a.out.Warnings, fmt.Errorf(format, args...))
	}
	a.warnRuns(warn)
	a.warnTruncated(warn)
	if a.lost {
		a.out.Warnings = append(a.out.Warnings,
			errors.New("trace content was not kept everywhere: later differences may have been missed"))
	}
	if len(a.out.Chain) == 0 && len(a.lanes) > 0 {
		a.out.Warnings = append(a.out.Warnings,
			errors.New("no place was found at which failing runs part from all passing ones"))
	}
}

// PathTo returns the call path of a goroutine at its event number pos, outermost first. That
// event is the last block of the innermost function.
func PathTo(sites *trace.Sites, g *trace.Goroutine, pos int64) ([]Call, error) {
	t := newTally(newCode(sites))
	if err := t.read(g, pos+1, 0); err != nil {
		return nil, err
	}
	return t.callStack.path(), nil
}
