package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/report"
)

// TestFacts compares what the recorded runs of each program show without any experiment with
// testdata/facts.golden: the first fact, how likely it is by chance, whether it is on the cause, and
// which place of the list is.
func TestFacts(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses all recorded runs")
	}
	list := truth(t)
	rows := make([]string, len(list))
	t.Run("program", func(t *testing.T) {
		for i, p := range list {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = factsRow(t, p)
			})
		}
	})
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\tfreedom\taspect\tplaces\tfailing\tpassing\tp\tcause\trank")
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	w.Flush()
	const golden = "testdata/facts.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != b.String() {
		t.Errorf("%v, got\n%s", err, b.String())
	}
}

// factsRow returns a program's row.
func factsRow(t *testing.T, p *program) string {
	rec, done, err := (&replay{root: root}).open(p)
	if errors.Is(err, errNotRecorded) {
		return p.name + "\tnot recorded"
	} else if err != nil {
		t.Fatal(err)
	}
	defer done()
	f := failureOf(rec.Result, p.test)
	if f == nil || len(f.Facts) == 0 {
		return p.name + "\tnothing"
	}
	rank, first := 0, f.Facts[0]
	var places []report.DocumentSuspect
	for _, x := range f.Facts {
		for _, s := range x.At {
			places = append(places, report.DocumentSuspect{DocumentRange: report.DocumentRange{File: s.File, Start: s.Start, End: s.End}})
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
	if first.Test != "" {
		at = append(at, first.Test)
	}
	return strings.Join([]string{
		p.name, first.Kind, first.Aspect, strings.Join(at, " "),
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
