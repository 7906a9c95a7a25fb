package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

const maxAlike = 5 // tests that are named as failing in the same runs

// alike says with which others a test fails, nil if there are none.
func (v *viewer) alike(t *finding.Test) prose {
	if len(t.Alike) == 0 {
		return nil
	}
	p := say("Fails in the same " + strings.TrimPrefix(plural(count(t.Runs).Failed, "run"), "1 ") + " as ")
	return v.testNames(p, t.Alike).text(".")
}

// testNames appends the names of tests, the first with links to their pages.
func (v *viewer) testNames(p prose, list []*finding.Test) prose {
	named := list[:min(len(list), maxAlike)]
	for i, o := range named {
		switch {
		case i > 0 && i == len(list)-1:
			p = p.text(" and ")
		case i > 0:
			p = p.text(", ")
		}
		s := span{kind: spanPlace, text: v.clean.line(o.Name, 200)}
		if name := v.names[o]; name != "" {
			s.href = name + ".html"
		}
		p = append(p, s)
	}
	if n := len(list) - len(named); n > 0 {
		p = p.text(fmt.Sprintf(" and %d more", n))
	}
	return p
}

// sameCause says for which other tests, beside those that fail in the same runs, experiments have shown the same
// thing at the same place: nil if for none.
func (v *viewer) sameCause(t *finding.Test) prose {
	if len(t.Verdicts) == 0 || len(t.Verdicts[0].Window) == 0 && len(t.Verdicts[0].Tests()) == 0 {
		return nil
	}
	d := &t.Verdicts[0]
	var same []*finding.Test
	for _, o := range v.r.Tests {
		if o == t || len(o.Verdicts) == 0 || slices.Contains(t.Alike, o) {
			continue
		}
		if x := &o.Verdicts[0]; x.Kind() == d.Kind() && x.Started == d.Started && slices.Equal(x.Window, d.Window) && slices.Equal(x.Tests(), d.Tests()) {
			same = append(same, o)
		}
	}
	if len(same) == 0 {
		return nil
	}
	return v.testNames(say("The same was shown for "), same).text(": one fix may do for all.")
}

// related says with which other tests one has something in common: runs in which they fail, or what was shown.
func (v *viewer) related(t *finding.Test) []prose {
	return slices.DeleteFunc([]prose{v.alike(t), v.sameCause(t)}, func(p prose) bool { return p == nil })
}

// SaidAlike is that as a line of text, "" if there are none.
func SaidAlike(r *finding.Result, t *finding.Test) string { return newViewer(r).alike(t).Plain() }

// SaidUnrecorded says that the test fails in code of another module, and how that is recorded;
// "" if it does not.
func SaidUnrecorded(t *finding.Test) string {
	if t.Unrecorded == "" {
		return ""
	}
	return "It fails in module " + t.Unrecorded + ", which is not recorded: -instrument " + t.Unrecorded + "/... records it."
}
