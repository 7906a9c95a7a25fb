package report

import (
	"cmp"
	"fmt"

	"github.com/fdebug/fdebug/internal/finding"
)

// An earlierRow is what became of the test in the runs of one command before.
type earlierRow struct{ Started, Failed, Commit string }

// earlier returns what became of the test before, the newest first.
func (v *viewer) earlier(t *finding.Test) (rows []earlierRow) {
	for _, s := range t.Earlier.Newest {
		rows = append(rows, v.earlierRow(s))
	}
	return rows
}

func (v *viewer) earlierRow(s finding.Session) earlierRow {
	r := earlierRow{
		Started: s.Started.UTC().Format("2006-01-02 15:04 UTC"), Failed: fmt.Sprintf("%d of %d", s.Failed, s.Failed+s.Passed),
		Commit: cmp.Or(v.clean.Line(s.Commit[:min(len(s.Commit), 12)], 12), "unknown"),
	}
	if s.Modified && s.Commit != "" {
		r.Commit += " and changes"
	}
	if s.Imported {
		r.Commit += ", imported"
	}
	return r
}
