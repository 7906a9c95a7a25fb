package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A profile has the goroutines, positions and choices of runs without a perturbation.
type profile struct {
	Goroutines []*goroutine // in the order in which they began, those of the first run first
	Draws      []trace.Draw // which blocks made random choices, of the pinned runs
	Runs       int
	Elapsed    time.Duration // of the test, the median

	stands map[siteKey][]int // blocks that the site with a key stands for, its own included
	// blocks after which a case of a select was run, if the site with a key is where to be held before
	chose map[siteKey][]int

	byID    map[trace.GoroutineID]*goroutine // nil before it is asked for
	byClass map[uint64][]*goroutine
}

// A goroutine of a profile, as it was in one of its runs.
type goroutine struct {
	trace.Goroutine        // without its content
	Runs            int    // of the profile that had it
	Sites           []Site // where it can be held: see [profile.Sites]
	Nth             int    // among those of its class, by when they were started
	trace           string // of the run
}

// A Site is a place at which a goroutine can be held.
type Site = freedom.Site

// site returns a site of the goroutine that is at no block.
func (g *goroutine) site() Site {
	return Site{G: freedom.Goroutine{ID: g.ID}, Class: g.Class}
}

// maxScan is how many events of a goroutine are looked at for sites.
const maxScan = 1 << 20

// A profiler makes a profile of traces.
type profiler struct {
	e     *Experimenter
	quiet []bool // by block: nothing that other goroutines could notice happens in it
	p     *profile
	byID  map[trace.GoroutineID]*goroutine
	seen  map[siteKey]bool // keys that have a site
	met   map[siteKey]bool
	came  map[visit]int // runs in which the goroutine came to the block
}

// A visit is of a block by one goroutine.
type visit struct {
	id    trace.GoroutineID
	block int
}

// A siteKey tells a site from those that were tried: goroutines of one class do the same.
type siteKey struct {
	class uint64
	block int
}

// profile reads the traces of runs that passed.
func (e *Experimenter) profile(ctx context.Context, runs []*Outcome) (*profile, error) {
	pr := &profiler{
		e: e, quiet: e.quietOnce(), p: &profile{stands: make(map[siteKey][]int), chose: make(map[siteKey][]int)},
		byID: make(map[trace.GoroutineID]*goroutine), seen: make(map[siteKey]bool), met: make(map[siteKey]bool),
		came: make(map[visit]int),
	}
	var took []time.Duration
	for _, o := range runs {
		if o.Trace == "" {
			continue
		}
		pr.p.Runs++
		for _, name := range append([]string{o.Trace}, o.Started...) {
			if err := pr.add(ctx, name); err != nil {
				return nil, fmt.Errorf("reading what a run of %s did: %w", e.Test, err)
			}
		}
		took = append(took, o.Elapsed)
	}
	pr.anyOfClass()
	pr.p.Elapsed = median(took)
	return pr.p, nil
}

// anyOfClass has the first of a class to come held at a block that the goroutine of
// the site does not come to in every run: often another one does so in its place.
func (pr *profiler) anyOfClass() {
	for _, g := range pr.p.Goroutines {
		for i, site := range g.Sites {
			if g.Class != 0 && pr.came[visit{g.ID, site.Block}] < pr.p.Runs {
				g.Sites[i].G = freedom.Goroutine{Class: g.Class}
			}
		}
	}
}

// severalOf returns the classes that have several goroutines.
func (p *profile) severalOf() map[uint64]bool {
	several := make(map[uint64]bool)
	for _, g := range p.Goroutines {
		several[g.Class] = several[g.Class] || g.Nth > 0
	}
	return several
}

// quietOnce returns which blocks are quiet, as [source.Quiet] does.
func (e *Experimenter) quietOnce() []bool {
	if e.quiet == nil {
		e.quiet = source.Quiet(e.Sites, e.Source)
	}
	return e.quiet
}

// addDraws adds the blocks that made random choices in a run, with the most that they made.
func (p *profile) addDraws(list []trace.Draw) {
	for _, d := range list {
		i := slices.IndexFunc(p.Draws, func(o trace.Draw) bool {
			return o.Kind == d.Kind && o.Block == d.Block // by any class
		})
		if i < 0 {
			p.Draws = append(p.Draws, d)
		} else if p.Draws[i].Class == d.Class {
			p.Draws[i].Count = max(p.Draws[i].Count, d.Count)
		}
	}
}

// add adds one process of a run.
func (pr *profiler) add(ctx context.Context, name string) error {
	t, err := pr.e.open(ctx, name)
	if err != nil {
		return err
	}
	defer t.Close()
	nth := byStart(t.Goroutines)
	for _, tg := range t.Goroutines {
		g := pr.byID[tg.ID]
		if g == nil {
			g = &goroutine{Goroutine: *tg, Nth: nth[tg], trace: name}
			g.Chunks, g.Stamps, g.Values = nil, nil, nil
			pr.byID[tg.ID] = g
			pr.p.Goroutines = append(pr.p.Goroutines, g)
		}
		g.Runs++
		if err := pr.sites(g, tg); err != nil {
			return err
		}
	}
	return nil
}

// byStart returns which each goroutine is of its class, from 0, by when it was started: a trace
// has them in the order in which they first ran, which is often another one.
func byStart(list []*trace.Goroutine) map[*trace.Goroutine]int {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *trace.Goroutine) int { return cmp.Compare(a.Start, b.Start) })
	nth, n := make(map[*trace.Goroutine]int), make(map[uint64]int)
	for _, g := range list {
		nth[g] = n[g.Class]
		n[g.Class]++
	}
	return nth
}

// sites adds the sites of a stream that no stream of the class had before. Between two events that others can notice
// all positions of a goroutine are one: the first of them stands for all. A goroutine that nothing tells from others,
// as those in which the runtime calls cleanups, has none.
func (pr *profiler) sites(g *goroutine, tg *trace.Goroutine) error {
	if tg.ID == 0 {
		return nil
	}
	hits := make(map[int]int)
	begins := true
	var last siteKey // that stands for those that follow
	prev := 0        // the block before
	stamps := tg.Stamps
	return events(tg, func(i int64, e trace.Event) bool {
		for len(stamps) > 0 && stamps[0].Pos <= i {
			begins = begins || stamps[0].Pos == i
			stamps = stamps[1:]
		}
		b, ok := e.Block()
		if !ok || !pr.e.Sites.Has(b) {
			begins, prev = true, 0
			return i < maxScan
		}
		if pr.e.Sites.Blocks[b].Kind == trace.BlockComm && prev != 0 && !slices.Contains(pr.p.chose[last], prev) {
			pr.p.chose[last] = append(pr.p.chose[last], prev)
		}
		prev = b
		if hits[b]++; hits[b] == 1 {
			pr.came[visit{tg.ID, b}]++
		}
		key := siteKey{tg.Class, b}
		if begins {
			last = key
		}
		if !pr.met[key] {
			pr.met[key] = true
			pr.p.stands[last] = append(pr.p.stands[last], b)
		}
		if begins && !pr.seen[key] {
			pr.seen[key] = true
			g.Sites = append(g.Sites, Site{
				G: freedom.Goroutine{ID: tg.ID}, Event: i, Block: b, Hit: hits[b], Class: tg.Class,
			})
		}
		begins = !pr.quiet[b]
		return i < maxScan
	})
}

// events calls f with the events of a stream, until it returns false or the next ones were not kept.
func events(g *trace.Goroutine, f func(i int64, e trace.Event) bool) error {
	var buf []trace.Event
	n := int64(0)
	for c := range g.Chunks {
		if !g.Chunks[c].Kept {
			return nil
		}
		var err error
		if buf, err = g.Load(c, buf); err != nil {
			return err
		}
		for _, e := range buf {
			if !f(n, e) {
				return nil
			}
			n++
		}
	}
	return nil
}

// Sites returns one site for all that can't differ, in the order in which they are best tried: the first of each
// class of goroutines, then the second of each. Goroutines of tests come before those that were there anyway.
func (p *profile) Sites() []Site {
	byClass := make(map[uint64][]Site)
	var classes []uint64
	for _, own := range []bool{true, false} {
		for _, g := range p.Goroutines {
			if (g.Test != "") != own || len(g.Sites) == 0 {
				continue
			}
			if byClass[g.Class] == nil {
				classes = append(classes, g.Class)
			}
			byClass[g.Class] = append(byClass[g.Class], g.Sites...)
		}
	}
	var list []Site
	for i := 0; ; i++ {
		n := len(list)
		for _, c := range classes {
			if i < len(byClass[c]) {
				list = append(list, byClass[c][i])
			}
		}
		if len(list) == n {
			return list
		}
	}
}

// standsFor returns the blocks that a site stands for.
func (p *profile) standsFor(s Site) []int { return p.stands[siteKey{s.Class, s.Block}] }

// withID returns a goroutine, nil if there is none.
func (p *profile) withID(id trace.GoroutineID) *goroutine {
	p.index()
	return p.byID[id]
}

// ofClass returns the goroutines of a class, in their order.
func (p *profile) ofClass(class uint64) []*goroutine {
	p.index()
	return p.byClass[class]
}

func (p *profile) index() {
	if p.byID != nil {
		return
	}
	p.byID, p.byClass = make(map[trace.GoroutineID]*goroutine), make(map[uint64][]*goroutine)
	for _, g := range p.Goroutines {
		p.byClass[g.Class] = append(p.byClass[g.Class], g)
		if p.byID[g.ID] == nil {
			p.byID[g.ID] = g
		}
	}
}

// following returns the site that comes after s in its goroutine.
func (p *profile) following(s Site) (Site, bool) {
	for _, g := range p.ofClass(s.Class) {
		for _, next := range g.Sites {
			if next.Event > s.Event {
				return next, true
			}
		}
	}
	return Site{}, false
}

// goroutine returns the goroutine that a site was found in. A visit that is none of the sites at which goroutines of
// its class are held by default is one of the first of these.
func (p *profile) goroutine(s Site) *goroutine {
	if s.G.ID != 0 {
		return p.withID(s.G.ID)
	}
	for _, g := range p.ofClass(s.Class) {
		if slices.ContainsFunc(g.Sites, func(o Site) bool { return o.Event == s.Event && o.Block == s.Block }) {
			return g
		}
	}
	if all := p.ofClass(s.G.Class); s.G.Class != 0 && len(all) > 0 {
		return all[0]
	}
	return nil
}
