package report

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

const maxAlike = 20 // tests that are named as failing in the same runs

// A relatedView is some other tests, by what they have in common with one.
type relatedView struct {
	What  say.Sentence
	Tests []say.Sentence
}

// related are the tests that fail in the very same runs, and those with the same cause.
func (v *viewer) related(t *finding.Test) (list []relatedView) {
	for _, x := range []relatedView{{say.SameRuns.With(), v.linked(t.Alike)},
		{say.SameCause.With(), v.linked(v.sameCause(t))}} {
		if len(x.Tests) > 0 {
			list = append(list, x)
		}
	}
	return list
}

// linked names tests with links to their pages.
func (v *viewer) linked(tests []*finding.Test) (list []say.Sentence) {
	for _, o := range tests[:min(len(tests), maxAlike)] {
		c := say.Code{Place: v.clean.Line(o.Name, 200)}
		if name := v.names[o]; name != "" {
			c.Href = name + ".html"
		}
		list = append(list, say.Of(c))
	}
	return list
}

// sameCause returns the other tests, beside those that fail in the same runs, for which experiments have shown the same
// thing at the same place.
func (v *viewer) sameCause(t *finding.Test) (same []*finding.Test) {
	for _, o := range v.r.Tests {
		if o != t && t.SameCause(o) && !slices.Contains(t.Alike, o) {
			same = append(same, o)
		}
	}
	return same
}
