package experiment

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// round rounds up to two digits: more would not be true.
func round(d time.Duration) time.Duration {
	unit := twoDigits(d)
	return (d + unit - 1) / unit * unit
}

// twoDigits returns the unit in which a time has two digits at most.
func twoDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return unit
}

// median returns the middle one of a list, 0 of none.
func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

// A timeLimit is a duration that is written in the source.
type timeLimit struct{ source.Duration }

// limits returns the durations of 2 ms or more that are written in the functions which plain runs came to.
func (b *bench) limits() []timeLimit {
	if b.limitsOf != nil || b.Source == nil {
		return b.limitsOf
	}
	ran := make(map[int]bool)
	for _, g := range b.p.Goroutines {
		for _, site := range g.Sites {
			ran[b.Sites.Blocks[site.Block].Func] = true
		}
	}
	byFile := make(map[int][]trace.Func)
	for f := range ran {
		fn := b.Sites.Funcs[f]
		byFile[fn.File] = append(byFile[fn.File], fn)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		f, err := syntax.Read(b.Sites.Files[file].Path, b.Source)
		if err != nil {
			continue
		}
		for _, d := range source.Durations(f, byFile[file]) {
			if d.D >= minLimit {
				b.limitsOf = append(b.limitsOf, timeLimit{d})
			}
		}
	}
	return b.limitsOf
}

func (l timeLimit) String() string { return fmt.Sprintf("%s (%s:%d)", l.Text, l.File, l.Line) }

// about reports whether a time is about as long as l.
func (l timeLimit) about(d time.Duration) bool {
	return float64(d) >= 0.7*float64(l.D) && float64(d) <= l.upTo()*float64(l.D)
}

// asLongAsSlept says of a finding whether a goroutine is held for about as long as the source sleeps: the test
// counts on that sleep.
func (b *bench) asLongAsSlept(f *Finding, held time.Duration) {
	for _, l := range b.limits() {
		if l.Slept && l.about(held) {
			f.Limit = l.String()
			return
		}
	}
}

// sleptAt returns the duration that is slept for at a site, with its place; "" for none.
func (b *bench) sleptAt(site *Site) string {
	if site == nil {
		return ""
	}
	span, ok := b.Sites.Pos(site.Block)
	for _, l := range b.limits() {
		if ok && l.Slept && span.Has(l.File, l.Line) {
			return l.String()
		}
	}
	return ""
}

// upTo is how many times as long a stall may be that is about as long as l. On a busy
// machine sleeps take longer than they are to, and so must a stall that outlasts them.
func (l timeLimit) upTo() float64 {
	if l.Slept {
		return 2.5
	}
	return 1.3
}

const minLimit = 2 * time.Millisecond

// tight names the limit of time that is too tight: about as long as the time of the timer
// and the lateness that fails; or, where that is not written there, the lateness.
func (b *bench) tight(f *Finding, block int) {
	span, ok := b.Sites.Pos(block)
	if !ok {
		return
	}
	var own time.Duration
	for _, l := range b.limits() {
		if span.Has(l.File, l.Line) {
			own = l.D
		}
	}
	for _, l := range b.limits() {
		if span.Has(l.File, l.Line) {
			continue
		}
		if gap := float64(l.D - own); 0.7*gap <= float64(f.Smallest) && float64(f.Smallest) <= l.upTo()*gap {
			f.Limit = l.String()
			return
		}
	}
}

// Durations returns durations that are written in the source, each once, none below least or above most.
func (b *bench) Durations(least, most time.Duration) []time.Duration {
	var list []time.Duration
	for _, l := range b.limits() {
		if least <= l.D && l.D <= most && !slices.Contains(list, l.D) {
			list = append(list, l.D)
		}
	}
	slices.Sort(list)
	return list
}
