package report

import (
	"fmt"

	"github.com/fdebug/fdebug/internal/finding"
)

// races says which data races the detector reported in the runs that were made with it for the
// test: they are known even where experiments show more, and no place of theirs is named first.
func (v *viewer) races() (list []prose) {
	for i := range v.t.Races {
		r := &v.t.Races[i]
		if r.Of == 0 {
			continue
		}
		p := say(fmt.Sprintf("In %d of %s with the race detector a data race was reported: nothing orders ", r.Seen, plural(r.Of, "run")))
		and := " and "
		if startKnown(&r.Accesses[0]) && !r.Accesses[0].Lost {
			and = ", and "
		}
		list = append(list, v.access(v.access(p, &r.Accesses[0]).text(and), &r.Accesses[1]).text("."))
	}
	return list
}

// startKnown reports whether it is known, and the same in all runs, where the goroutine of an access was started.
func startKnown(a *finding.Access) bool { return a.Started.File != "" && !a.Varies }

// access names one side of a race.
func (v *viewer) access(p prose, a *finding.Access) prose {
	if a.Lost {
		return v.placeOf(p.text("a "+a.Kind.String()+" by the goroutine started at "), a.At)
	}
	p = v.codeWithPlace(p.text("the "+a.Kind.String()+" at "), v.framePlace(a.At))
	if startKnown(a) {
		p = v.placeOf(p.text(", by a goroutine started at "), a.Started)
	}
	return p
}
