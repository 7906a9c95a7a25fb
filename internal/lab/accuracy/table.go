package main

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"
)

// A table has the grades of all programs.
type table struct {
	n      int
	grades []grade
}

// print writes the table and its sums.
func (t *table) print(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "program\tfailing\tfirst suspect\tcause\trank")
	for _, g := range t.grades {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\n", g.program.name, share(g.failing, g.runs), cmp.Or(g.first, "-"),
			g.verdict, number(g.rank))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	s := t.sums()
	_, err := fmt.Fprintf(w,
		"\nn = %d runs each. First suspect on the cause: %d of %d (%d %%); one of the list: %d of %d.\n"+
			"Programs that never fail: %d of %d rightly without a report. Not counted: %d.\n",
		t.n, s.first, s.flaky, s.percent(), s.listed, s.flaky, s.silent, s.quiet, s.skipped)
	return err
}

// A sums counts grades.
type sums struct {
	flaky   int // flaky programs that count
	first   int // how many have the cause first
	listed  int // how many have the cause in the list
	quiet   int // programs that never fail
	silent  int // how many were rightly not reported
	skipped int // programs that do not count
}

func (t *table) sums() sums {
	var s sums
	for _, g := range t.grades {
		switch {
		case !g.counts:
			s.skipped++
		case len(g.program.cause) == 0:
			s.quiet++
			s.silent += one(g.right)
		default:
			s.flaky++
			s.first += one(g.right)
			s.listed += one(g.rank > 0)
		}
	}
	return s
}

// percent returns the share of first suspects that are on the cause.
func (s sums) percent() int {
	if s.flaky == 0 {
		return 100
	}
	return 100 * s.first / s.flaky
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func share(k, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", k, n)
}

func number(rank int) string {
	if rank == 0 {
		return "-"
	}
	return fmt.Sprint(rank)
}
