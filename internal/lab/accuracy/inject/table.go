package inject

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/stats"
)

// columns are the rates of the table.
var columns = []struct {
	name string
	of   func(*grade) bool
}{
	{"first", func(g *grade) bool { return g.First }},
	{"any of 5", func(g *grade) bool { return g.Any }},
	{"first, same function", func(g *grade) bool { return g.FirstFunc }},
	{"any, same function", func(g *grade) bool { return g.AnyFunc }},
	{"fact", func(g *grade) bool { return g.FactFirst }},
	{"any fact", func(g *grade) bool { return g.FactAny }},
	{"proved", func(g *grade) bool { return g.got.Proved }},
	{"Ochiai", func(g *grade) bool { return g.Ochiai }},
	{"failed check", func(g *grade) bool { return g.Check }},
	{"last divergence", func(g *grade) bool { return g.Last }},
}

// printTable writes rates by operator, by category and overall, in Markdown.
func printTable(w io.Writer, operators []operator, grades []grade) error {
	var b strings.Builder
	head := []string{"", "mutants"}
	for _, c := range columns {
		head = append(head, c.name)
	}
	byOperator := make(map[string][]grade)
	for _, g := range grades {
		byOperator[g.mutant.Operator] = append(byOperator[g.mutant.Operator], g)
	}
	b.WriteString("### By operator\n\n")
	var rows [][]string
	for _, op := range operators {
		if list := byOperator[op.name]; len(list) > 0 {
			rows = append(rows, append([]string{op.name}, counts(list)...))
		}
	}
	rows = append(rows, append([]string{"**all**"}, counts(grades)...))
	rows = append(rows, append([]string{"95 %", ""}, intervals(grades)...))
	rows = append(rows, append([]string{"mean over operators", ""}, means(operators, byOperator, "")...))
	writeRows(&b, head, rows)

	b.WriteString("\n### By category, the mean over its operators\n\n")
	writeRows(&b, head, categories(operators, byOperator))

	_, err := io.WriteString(w, b.String())
	return err
}

func writeRows(b *strings.Builder, head []string, rows [][]string) {
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, r := range rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(r, " | "))
	}
}

// counts returns how many grades of a list are right, for each column.
func counts(list []grade) []string {
	out := []string{fmt.Sprint(len(list))}
	for _, c := range columns {
		out = append(out, fmt.Sprint(hits(list, c.of)))
	}
	return out
}

func hits(list []grade, of func(*grade) bool) (k int) {
	for i := range list {
		if of(&list[i]) {
			k++
		}
	}
	return k
}

// intervals returns the rate of a list with its interval, for each column.
func intervals(list []grade) (out []string) {
	for _, c := range columns {
		k := hits(list, c.of)
		lo, hi := stats.Wilson(k, len(list))
		out = append(out, fmt.Sprintf("%.0f %% (%.0f to %.0f)",
			100*float64(k)/float64(max(len(list), 1)), 100*lo, 100*hi))
	}
	return out
}

// means returns the mean of the operators' rates, for each column, in one category or in all.
func means(operators []operator, by map[string][]grade, category string) (out []string) {
	for _, c := range columns {
		sum, n := 0.0, 0
		for _, op := range operators {
			if list := by[op.name]; len(list) > 0 && (category == "" || op.category == category) {
				sum += float64(hits(list, c.of)) / float64(len(list))
				n++
			}
		}
		out = append(out, fmt.Sprintf("%.0f %%", 100*sum/float64(max(n, 1))))
	}
	return out
}

// categories returns a row for each category that has mutants.
func categories(operators []operator, by map[string][]grade) (rows [][]string) {
	var names []string
	n := make(map[string]int)
	for _, op := range operators {
		if len(by[op.name]) > 0 && !slices.Contains(names, op.category) {
			names = append(names, op.category)
		}
		n[op.category] += len(by[op.name])
	}
	for _, name := range names {
		rows = append(rows, append([]string{name, fmt.Sprint(n[name])}, means(operators, by, name)...))
	}
	return rows
}

func (p Place) String() string {
	if p.End > p.Start {
		return fmt.Sprintf("%s:%d-%d", p.File, p.Start, p.End)
	}
	return fmt.Sprintf("%s:%d", p.File, p.Start)
}

// printYields writes how many candidates of each operator were tried, and the results.
func printYields(w io.Writer, operators []operator, trials map[string]*trial) error {
	var b strings.Builder
	var rows [][]string
	for _, op := range operators {
		n := make(map[verdict]int)
		in, tried, took := 0, 0, 0.0
		for _, t := range trials {
			if t.Mutant.Operator == op.name {
				n[t.Verdict]++
				tried++
				took += t.Took
				if t.In {
					in++
				}
			}
		}
		rows = append(rows, []string{op.name, op.category, fmt.Sprint(tried), fmt.Sprint(n[noBuild]),
			fmt.Sprint(n[neverFails]), fmt.Sprint(n[alwaysFails]), fmt.Sprint(n[fails]), fmt.Sprint(in),
			fmt.Sprintf("%.0f s", took)})
	}
	b.WriteString("\n### What was tried\n\n")
	writeRows(&b, []string{"operator", "category", "tried", "does not compile", "never fails", "always fails", "flaky",
		"in", "time"}, rows)
	_, err := io.WriteString(w, b.String())
	return err
}
