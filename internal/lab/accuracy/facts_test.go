package main

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/report"
)

// factsRow returns a program's row of what its recorded runs show without any experiment: the first
// fact, how likely it is by chance, whether it is on the cause, and which place of the list is.
func factsRow(p *program, r *finding.Result) string {
	f := failureOf(r, p.test)
	if f == nil || len(f.Facts) == 0 {
		return p.name + "\tnothing"
	}
	rank, first := 0, f.Facts[0]
	var places []report.DocumentSuspect
	for _, x := range f.Facts {
		for _, s := range x.At {
			places = append(places, report.DocumentSuspect{Suspect: finding.Suspect{Span: finding.Span{File: s.File, Start: s.Start, End: s.End}}})
		}
	}
	for i, s := range places {
		if p.on(s) {
			rank = i + 1
			break
		}
	}
	var at []string
	for _, s := range first.At {
		at = append(at, fmt.Sprintf("%s:%d", s.File, s.Start))
	}
	return strings.Join([]string{
		p.name, first.Freedom, first.Measure, strings.Join(at, " "),
		share(first.Table.FailTaken, first.Table.FailTaken+first.Table.FailNot), share(first.Table.PassTaken, first.Table.PassTaken+first.Table.PassNot),
		fmt.Sprintf("%.0e", first.P), map[bool]string{true: "yes", false: "no"}[rank == 1], number(rank),
	}, "\t")
}

// failureOf returns the most frequent failure of a test, nil if it has none.
func failureOf(r *finding.Result, test string) *finding.Failure {
	for _, t := range r.Tests {
		if t.Name == test && len(t.Failures) > 0 {
			return t.Failures[0]
		}
	}
	return nil
}
