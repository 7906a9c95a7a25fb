package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// A table is a result being assembled. Its first column has names, the others numbers.
type table struct {
	head  []string
	rows  [][]string
	notes []string // printed below it
}

func newTable(head ...string) *table { return &table{head: head} }

// row adds a row.
func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// text returns the table with its columns aligned by spaces.
func (t *table) text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{t.head}, t.rows...) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
	for _, n := range t.notes {
		fmt.Fprintln(&b, n)
	}
	return b.String()
}

// markdown returns the table in GitHub's Markdown.
func (t *table) markdown() string {
	var b strings.Builder
	line := func(cells []string) {
		escaped := make([]string, len(cells))
		for i, c := range cells {
			escaped[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(escaped, " | "))
	}
	line(t.head)
	b.WriteString("|---|" + strings.Repeat("--:|", len(t.head)-1) + "\n")
	for _, row := range t.rows {
		line(row)
	}
	for _, n := range t.notes {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	return b.String()
}

// print prints a table under its title, with a description of the machine.
func (b *bench) print(title string, t *table) error {
	format := "%s\n%s\n\n%s\n"
	body := t.text()
	if b.markdown {
		format, body = "### %s\n\n%s\n\n%s\n", t.markdown()
	}
	_, err := fmt.Fprintf(b.out, format, title, machine(b), body)
	return err
}

// clock names what is measured.
func (b *bench) clock() string {
	if b.cpu {
		return "processor time"
	}
	return "time"
}
