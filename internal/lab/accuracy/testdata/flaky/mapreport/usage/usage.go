// Package usage adds up what the teams of a company use.
package usage

import (
	"cmp"
	"slices"

	"example.com/mapreport/table"
)

// A Record is one measurement.
type Record struct {
	Team  string
	Hours float64
	GB    int
}

// A Total is what one team has used.
type Total struct {
	Team  string
	Hours float64
	GB    int
}

// Totals adds up the records of each team.
func Totals(records []Record) []Total {
	byTeam := make(map[string]*Total)
	for _, r := range records {
		t := byTeam[r.Team]
		if t == nil {
			t = &Total{Team: r.Team}
			byTeam[r.Team] = t
		}
		t.Hours += r.Hours
		t.GB += r.GB
	}
	list := make([]Total, 0, len(byTeam))
	for _, t := range byTeam {
		list = append(list, *t)
	}
	return list
}

// Report shows the teams that use the most storage first.
func Report(records []Record) string {
	totals := Totals(records)
	slices.SortStableFunc(totals, func(a, b Total) int { return cmp.Compare(b.GB, a.GB) })
	t := table.New("team", "hours", "GB")
	for _, total := range totals {
		t.Row(total.Team, total.Hours, total.GB)
	}
	return t.String()
}
