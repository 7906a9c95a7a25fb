package experiment

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/search"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// An offer is what a bench offers the freedoms, under the names that freedoms have for it.
type offer struct{ *bench }

func (o offer) Seed(purpose string, i int) uint64 { return o.seed(purpose, i) }
func (o offer) Drawn() []trace.Draw               { return o.p.Draws }
func (o offer) Chooses() bool                     { return len(o.p.Draws)+len(o.p.chose) > 0 }
func (o offer) SeesAnother() bool                 { return seesAnother(o.asks) }
func (o offer) Hints() []freedom.Hint             { return o.hints() }
func (o offer) Blocks() *trace.Sites              { return o.bench.Sites }
func (o offer) Elapsed() time.Duration            { return o.p.Elapsed }
func (o offer) Now() time.Time                    { return o.now() }
func (o offer) CanLimit() bool                    { return runner.CanLimit }
func (o offer) Sites() []Site                     { return o.p.Sites() }

func (o offer) Drawer(kind trace.ActKind, block int) (trace.GoroutineID, int) {
	for _, d := range o.p.Draws {
		all := o.p.ofClass(d.Class)
		if d.Kind == kind && int(d.Block) == block && len(all) == 1 && d.Count <= maxCounted {
			return all[0].ID, int(d.Count)
		}
	}
	return 0, 0
}

func (o offer) Random(block int) (function string, limit int64) { return source.Random(o.file(block)) }
func (o offer) Cases(block int) []int                           { return source.Cases(o.file(block)) }

// file returns the file and the lines of a block, nil if it can't be read.
func (o offer) file(block int) (f *syntax.File, span trace.Span) {
	span, ok := o.bench.Sites.Pos(block)
	if ok && o.Source != nil {
		f, _ = syntax.Read(span.File, o.Source)
	}
	return f, span
}

func (o offer) Outcomes() map[uint64]bool {
	failed := make(map[uint64]bool)
	for seed := range o.seeds {
		if fails := o.went(seed, true); fails || o.went(seed, false) {
			failed[seed] = fails
		}
	}
	return failed
}

const maxCounted = 2000 // numbers of a run that are looked at

// Askers asks by a survey, if there was none.
func (o offer) Askers(kind trace.ActKind) []uint32 {
	if o.survey() != nil {
		return nil
	}
	return o.askers(kind)
}

// Try notes which choices the run makes.
func (o offer) Try(a freedom.Act[Site]) bool {
	x, err := o.run(o.ctx, o.trial(search.Plan{o.act(a)}), false)
	if err == nil {
		o.p.addDraws(x.Draws)
	}
	return err == nil
}

// Walk notes nothing: the orders are no choices of the program.
func (o offer) Walk(a freedom.Act[Site]) (w freedom.Walk, ok bool) {
	x, err := o.run(o.ctx, o.trial(search.Plan{o.act(a)}), false)
	if err != nil {
		return w, false
	}
	is := x.Tells(nil)
	return freedom.Walk{Ranges: x.Keys, Failed: is == proof.TellsFailure}, is >= proof.TellsPass
}

// Mentions looks at the files that plain runs came to.
func (o offer) Mentions(words *regexp.Regexp) bool {
	seen := make(map[int]bool)
	for _, g := range o.p.Goroutines {
		for _, site := range g.Sites {
			file := o.bench.Sites.FileOf(site.Block)
			if seen[file] || o.Source == nil {
				continue
			}
			seen[file] = true
			if src, err := o.Source(o.bench.Sites.Files[file].Path); err == nil && words.Match(src) {
				return true
			}
		}
	}
	return false
}

// Selects returns the positions right before selects.
func (o offer) Selects() []Site {
	return slices.DeleteFunc(o.p.Sites(), func(s Site) bool { return len(o.p.chose[siteKey{s.Class, s.Block}]) == 0 })
}

// Everywhere returns the positions of holds and then all others of the test's goroutines, where no other goroutine would
// notice a hold.
func (o offer) Everywhere() []Site {
	list := o.p.Sites()
	for _, g := range o.p.Goroutines {
		if len(g.Sites) == 0 || g.Test == "" {
			continue
		}
		all, err := o.positions(g.Sites[0])
		if err != nil {
			continue // without its trace there is nothing to add
		}
		for _, site := range all {
			same := func(o Site) bool { return o.Class == site.Class && o.Event == site.Event }
			if len(list) < maxEverywhere && !slices.ContainsFunc(list, same) {
				list = append(list, site)
			}
		}
	}
	return list[:min(len(list), maxEverywhere)]
}

const (
	maxEverywhere = 100 // positions
	mostSiblings  = 4   // goroutines of the class of the held one that are tried
)

// Waits looks at a plain run. Each statement is there once. A goroutine that a timer starts has waited for that.
func (o offer) Waits(over bool) (list []Site) {
	seen := make(map[siteKey]bool)
	for _, g := range o.p.Goroutines {
		t, err := o.courses.in(g.trace)
		all, err2 := o.positions(g.site())
		if err != nil || err2 != nil || g.Test == "" {
			continue
		}
		if rel, _ := o.bench.Sites.Rel(g.Spawn.File); over && o.setsTimer(rel, g.Spawn.Line) {
			list = append(list, all[:min(len(all), 1)]...)
		}
		slept := false
		for _, s := range o.courses.has[courseKey{g.trace, g.ID}].Stamps {
			n, _ := slices.BinarySearchFunc(all, s.Pos, func(at Site, pos int64) int { return cmp.Compare(at.Event, pos) })
			if !s.GoesOn {
				n, slept = n-1, t.Reasons[s.Reason] == "sleep"
			}
			if s.GoesOn != over || slept == over || over && s.Waker == trace.WakerProbed || n < 0 || n >= len(all) {
				continue
			}
			if at := all[n]; !seen[siteKey{g.Class, at.Block}] {
				list, seen[siteKey{g.Class, at.Block}] = append(list, at), true
			}
		}
	}
	return list
}

// Others yields where other goroutines may be held in place of one at own. Each list has the positions of one class, the
// last first, and the classes come in the order of [bench.classes]. At the end are some others of the class of own, one
// goroutine a list.
func (o offer) Others(own Site) iter.Seq[[]Site] {
	return func(yield func([]Site) bool) {
		if !o.concurrent() {
			return
		}
		for class := range o.classes() {
			if class != own.Class && !yield(o.lastFirst(class)) {
				return
			}
		}
		siblings := 0
		for _, g := range o.p.ofClass(own.Class) {
			if own.G.ID == 0 || g.ID == own.G.ID {
				continue
			}
			if siblings++; siblings > mostSiblings || !yield(sitesAs(g, o.lastFirst(g.Class))) {
				return
			}
		}
	}
}

// classes yields those of goroutines, each once: the test's own first, then those that hints are about.
func (b *bench) classes() iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		seen := make(map[uint64]bool)
		fresh := func(class uint64) bool {
			was := seen[class]
			seen[class] = true
			return !was
		}
		for _, g := range b.p.Goroutines {
			if g.Root && fresh(g.Class) && !yield(g.Class) {
				return
			}
		}
		for _, site := range slices.Concat(b.suggestedSites(), b.p.Sites()) {
			if fresh(site.Class) && !yield(site.Class) {
				return
			}
		}
	}
}

// lastFirst returns the positions of a class, the last first.
func (b *bench) lastFirst(class uint64) (list []Site) {
	for _, g := range b.p.ofClass(class) {
		list = append(list, g.Sites...)
	}
	slices.SortStableFunc(list, func(a, b Site) int { return int(b.Event - a.Event) })
	return list
}

// sitesAs returns the sites of a class as those of one of its goroutines: it comes to the same blocks, not with
// events of the same number.
func sitesAs(g *goroutine, list []Site) []Site {
	list = slices.Clone(list)
	for i := range list {
		list[i].G, list[i].ByHit = freedom.Goroutine{ID: g.ID}, true
	}
	return list
}
