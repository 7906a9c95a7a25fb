package main

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// A row is what a report says of an example.
type row struct {
	example *example
	test    *report.DocumentTest // nil if it was not found to be flaky
}

// judge looks for the examples in results.
func judge(list []*example, docs []*report.Document) (rows []row) {
	for _, e := range list {
		r := row{example: e}
		for _, doc := range docs {
			for i := range doc.Tests {
				if t := &doc.Tests[i]; t.Test == e.test && t.Flaky {
					r.test = t
				}
			}
		}
		rows = append(rows, r)
	}
	return rows
}

// misses says what is not right.
func (r *row) misses() (list []string) {
	e := r.example
	if r.test == nil {
		return []string{"not flaky in these runs"}
	}
	c := r.test.Cause
	for _, x := range []struct {
		what string
		ok   bool
	}{
		{"place", r.onCause()},
		{"kind", c.Kind == e.kind},
		{"headline", e.headline.MatchString(headline(c))},
		{"advice", !slices.ContainsFunc(c.Fix, func(s string) bool { return !e.advice.MatchString(s) })},
	} {
		if !x.ok {
			list = append(list, x.what)
		}
	}
	return list
}

// headline is the sentence of a cause, with the line that it calls "here".
func headline(c *report.Cause) string {
	if c.File == "" || !here.MatchString(c.Said) {
		return c.Said
	}
	return fmt.Sprintf("%s [%s:%d]", c.Said, path.Base(c.File), c.Line)
}

var here = regexp.MustCompile(`\bhere\b`)

// near is how many lines the first place may be from the cause.
const near = 1

// onCause reports whether the first place begins at the cause, or right beside it.
func (r *row) onCause() bool {
	if r.test == nil || len(r.test.Suspects) == 0 {
		return false
	}
	s := r.test.Suspects[0]
	return slices.ContainsFunc(r.example.cause, func(c trace.Span) bool {
		return c.File == s.File && c.Start-near <= s.Start && s.Start <= c.End+near
	})
}

// wrong returns the examples that are not right, and have no excuse.
func wrong(rows []row) (list []*example) {
	for i := range rows {
		if r := &rows[i]; len(r.misses()) > 0 && r.example.excuse == "" {
			list = append(list, r.example)
		}
	}
	return list
}

// printTable writes a line for each row, what was said in each, and the sums.
func printTable(w io.Writer, rows []row) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "example\tplace wanted\tfirst place\tkind wanted\tkind\theadline\tadvice\tknown\tseconds\tverdict")
	first, right := 0, 0
	for i := range rows {
		r := &rows[i]
		fmt.Fprintln(tw, strings.Join(r.cells(), "\t"))
		if r.onCause() {
			first++
		}
		if len(r.misses()) == 0 {
			right++
		}
	}
	tw.Flush()
	for _, r := range rows {
		if r.test != nil {
			fmt.Fprintf(w, "\n%s: %s\n", r.example.name, headline(r.test.Cause))
			for _, s := range r.test.Cause.Fix {
				fmt.Fprintf(w, "    %s\n", s)
			}
		}
	}
	fmt.Fprintln(w)
	for _, e := range examplesOf(rows) {
		if e.excuse != "" {
			fmt.Fprintf(w, "%s is excused: %s\n", e.name, e.excuse)
		}
	}
	fmt.Fprintf(w, "The first place is right in %d of %d rows, and all is in %d.\n", first, len(rows), right)
}

// examplesOf are those of rows that are in the order of the examples.
func examplesOf(rows []row) (list []*example) {
	for _, r := range rows {
		list = append(list, r.example)
	}
	return slices.Compact(list)
}

// cells are those of a line of the table.
func (r *row) cells() []string {
	e := r.example
	var want []string
	for _, s := range e.cause {
		want = append(want, e.short(s))
	}
	misses := r.misses()
	if r.test == nil {
		return []string{e.name, strings.Join(want, " "), "-", e.kind, "-", "-", "-", "-", "-", r.verdict(misses)}
	}
	first := "-"
	if len(r.test.Suspects) > 0 {
		first = e.short(r.test.Suspects[0].Span)
	}
	says := func(what, yes, no string) string {
		if slices.Contains(misses, what) {
			return no
		}
		return yes
	}
	took := time.Duration(0)
	for _, p := range r.test.Experiments {
		took += p.Took
	}
	return []string{e.name, strings.Join(want, " "), first, e.kind, cmp.Or(r.test.Cause.Kind, "-"),
		says("headline", "true", "not true"), says("advice", "fits", "astray"), r.test.Cause.Verdict,
		fmt.Sprintf("%.0f", took.Seconds()), r.verdict(misses)}
}

// short names lines of an example's package.
func (e *example) short(s trace.Span) string {
	name := fmt.Sprintf("%s:%d", strings.TrimPrefix(s.File, e.name+"/"), s.Start)
	if s.End > s.Start {
		name += fmt.Sprintf("-%d", s.End)
	}
	return name
}

// verdict sums up a line.
func (r *row) verdict(misses []string) string {
	switch {
	case len(misses) == 0 && r.example.excuse != "":
		return "right, though excused"
	case len(misses) == 0:
		return "right"
	case r.example.excuse != "":
		return "wrong, excused: " + strings.Join(misses, ", ")
	}
	return "WRONG: " + strings.Join(misses, ", ")
}
