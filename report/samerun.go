package report

import (
	"fmt"
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
	named := t.Alike[:min(len(t.Alike), maxAlike)]
	for i, o := range named {
		switch {
		case i > 0 && i == len(t.Alike)-1:
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
	if n := len(t.Alike) - len(named); n > 0 {
		p = p.text(fmt.Sprintf(" and %d more", n))
	}
	return p.text(".")
}

// SaidAlike is that as a line of text, "" if there are none.
func SaidAlike(r *finding.Result, t *finding.Test) string { return newViewer(r).alike(t).Plain() }
