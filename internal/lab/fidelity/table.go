package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A table prints results as Markdown.
type table struct {
	name    string
	suite   *suite
	results []*result
	took    time.Duration
}

func (t *table) print(w io.Writer) error {
	var b strings.Builder
	tc := t.suite.plan.Toolchain
	fmt.Fprintf(&b, "%s, %s %s/%s, %s\n\n", t.name, tc.GOVERSION, tc.GOOS, tc.GOARCH,
		time.Now().UTC().Format(time.DateOnly))
	b.WriteString("| package | tests | same | different | unsteady | events | plain | traced |")
	if t.suite.lines {
		b.WriteString(" statements | agree | undecided | unsteady | no probes | expected | disagree |")
	}
	b.WriteString("\n|---|--:|--:|--:|--:|--:|--:|--:|")
	if t.suite.lines {
		b.WriteString("--:|--:|--:|--:|--:|--:|--:|")
	}
	b.WriteString("\n")
	for _, r := range t.results {
		if !t.suite.sum {
			t.row(&b, r.pkg, r)
		}
	}
	t.row(&b, "**all**", t.total())
	t.remarks(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *table) row(b *strings.Builder, name string, r *result) {
	different, unsteady := r.count()
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %s | %.1f s | %.1f s |", name, r.tests, r.same, different, unsteady,
		short(r.events), r.plain.Seconds(), r.traced.Seconds())
	if l := r.lines; l != nil {
		fmt.Fprintf(b, " %d | %d | %d | %d | %d | %d | %d |", l.all(), l.agree, l.undecided, l.unsteady, l.untraced,
			len(l.expected), len(l.disagree))
	}
	b.WriteString("\n")
}

// count returns how many tests are different, explained or not, and how many are unsteady.
func (r *result) count() (different, unsteady int) {
	for _, d := range r.different {
		if d.unsteady {
			unsteady++
		} else {
			different++
		}
	}
	return different, unsteady
}

func (t *table) total() *result {
	sum := new(result)
	for _, r := range t.results {
		sum.tests += r.tests
		sum.same += r.same
		sum.events += r.events
		sum.plain += r.plain
		sum.traced += r.traced
		sum.different = append(sum.different, r.different...)
		if r.lines != nil {
			if sum.lines == nil {
				sum.lines = new(lineResult)
			}
			sum.lines.add(r.lines)
		}
	}
	return sum
}

// remarks lists everything that is not the same.
func (t *table) remarks(b *strings.Builder) {
	for _, r := range t.results {
		if r.unsupported != "" {
			fmt.Fprintf(b, "\n- %s: not compared: %s", r.pkg, r.unsupported)
		}
		for _, d := range r.different {
			fmt.Fprintf(b, "\n- %s %s", r.pkg, d)
		}
		for _, e := range r.stale {
			fmt.Fprintf(b, "\n- %s %s: does not differ and must not be in exceptions.txt", e.pkg, e.test)
		}
		if r.lines != nil && r.lines.why != "" {
			fmt.Fprintf(b, "\n- %s: lines not compared: %s", r.pkg, r.lines.why)
		}
		if r.lines != nil {
			for _, d := range r.lines.disagree {
				fmt.Fprintf(b, "\n- %s", d)
			}
		}
	}
	fmt.Fprintf(b, "\n\n%d unexplained differences; took %s\n", t.unexplained(), t.took.Round(time.Second))
}

// unexplained returns how many differences have no reason.
func (t *table) unexplained() int {
	n := 0
	for _, r := range t.results {
		for _, d := range r.different {
			if !d.unsteady && d.reason == "" {
				n++
			}
		}
		n += len(r.stale)
		if r.lines != nil {
			n += len(r.lines.disagree)
		}
	}
	return n
}

// short writes a number of events.
func short(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f k", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
