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
	b.limitsOf = []timeLimit{} // for most programs that is all
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

const minLimit = 2 * time.Millisecond

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
