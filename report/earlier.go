package report

import (
	"cmp"
	"fmt"

	"github.com/fdebug/fdebug/internal/finding"
)

// An earlierView is what became of the test before this run.
type earlierView struct {
	Said prose
	Rows []earlierRow
	Note string
}

type earlierRow struct{ Started, Failed, Commit string }

// earlier returns what became of the test before, nil if nothing is known.
func (v *viewer) earlier(c counts) *earlierView {
	e := &v.t.Earlier
	n := e.Failed + e.Passed
	if n == 0 {
		return nil
	}
	w := &earlierView{Note: "Runs of other commits, with other flags, and on other machines may be among them; provoked ones are not."}
	since := ", since " + e.Since.UTC().Format("2006-01-02")
	w.Said = say("Earlier ").bold(fmt.Sprintf("%s of %s failed", thousands(int64(e.Failed)), plural(n, "run"))).text(" (" + Rate(e.Failed, n) + ")" + since)
	if e.Failed == 0 {
		w.Said = say("It had not failed before: ").bold("0 of " + plural(n, "earlier run")).text(" failed" + since)
	}
	if c.Provoked == 0 && c.decided() > 0 {
		w.Said = w.Said.text(fmt.Sprintf("; now %d of %d", c.Failed, c.decided()))
	}
	w.Said = w.Said.text(".")
	for _, s := range e.Newest {
		w.Rows = append(w.Rows, v.earlierRow(s))
	}
	if left := e.Sessions - len(w.Rows); left > 0 {
		w.Note = plural(left, "older one") + " left out: fdebug history has all. " + w.Note
	}
	return w
}

func (v *viewer) earlierRow(s finding.Session) earlierRow {
	r := earlierRow{
		Started: s.Started.UTC().Format("2006-01-02 15:04 UTC"), Failed: fmt.Sprintf("%d of %d", s.Failed, s.Failed+s.Passed),
		Commit: cmp.Or(v.clean.line(s.Commit[:min(len(s.Commit), 12)], 12), "unknown"),
	}
	if s.Modified && s.Commit != "" {
		r.Commit += " and changes"
	}
	if s.Imported {
		r.Commit += ", imported"
	}
	return r
}
