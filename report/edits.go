package report

import (
	"path"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/remedy"
)

// editable reports whether package remedy has an edit for what is shown, at the places that
// it was shown for; whether one holds is found out by trying.
func (v *viewer) editable(d *finding.Verdict) bool {
	if d.Class() < finding.Proved {
		return false
	}
	p := remedy.Proposer{Source: v.src.Whole}
	return len(p.Propose(v.remedyCause(d))) > 0
}

// remedyCause returns the cause that is shown as edits need it: `fdebug fix` has the same from the replay file.
func (v *viewer) remedyCause(d *finding.Verdict) *remedy.Cause {
	c := &remedy.Cause{Files: v.filesOf(v.t.Package)}
	for _, w := range d.Window() {
		for line := w.Start; line <= max(w.Start, w.End); line++ {
			at := remedy.Site{File: w.File, Line: line}
			switch d.Kind() {
			case "map":
				c.Maps = append(c.Maps, at)
			case "read":
				c.Read = append(c.Read, at)
			}
		}
	}
	if len(d.Tests()) > 0 && !d.Needs() {
		c.Polluters = d.Tests()
	}
	if d.Held() || d.Ordered() {
		v.remedyWait(c, d)
	}
	return c
}

// remedyWait adds which goroutine comes too late, and what too soon: where holding is to make
// the test pass, the event of an order that comes first, and the check that failed.
func (v *viewer) remedyWait(c *remedy.Cause, d *finding.Verdict) {
	site := func(file string, line int) (s remedy.Site) {
		if v.r.Sites == nil {
			return s
		}
		if rel, ok := v.r.Sites.Rel(file); ok {
			s = remedy.Site{File: rel, Line: line}
		}
		return s
	}
	c.Started = site(d.Started().File, d.Started().Line)
	if d.Ordered() && len(d.Events()) == 2 {
		c.Started = site(d.Events()[1].Started.File, d.Events()[1].Started.Line)
	}
	if c.Started.File != "" {
		c.Begun = append(c.Begun, c.Started)
	}
	if d.Ordered() {
		c.Before = append(c.Before, remedy.Site{File: d.Window()[0].File, Line: d.Window()[0].Start})
	}
	for _, s := range d.Cure() {
		c.Before = append(c.Before, remedy.Site{File: s.File, Line: s.Start})
	}
	if e := d.Early(); e != nil {
		c.Before = append(c.Before, remedy.Site{File: e.At.File, Line: e.At.Start})
	}
	if i := slices.IndexFunc(v.t.Failures, d.About); i >= 0 {
		f := v.t.Failures[i].Frame
		c.Before = append(c.Before, site(f.File, f.Line))
	}
}

// filesOf returns the files of a package, as far as they were compiled for its tests.
func (v *viewer) filesOf(pkg string) (list []string) {
	if v.r.Sites == nil {
		return nil
	}
	for _, f := range v.r.Sites.Files {
		if path.Dir(f.Name) == pkg {
			list = append(list, f.Path)
		}
	}
	return list
}
