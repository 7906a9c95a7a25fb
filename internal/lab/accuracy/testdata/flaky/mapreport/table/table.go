// Package table aligns columns of text.
package table

import (
	"fmt"
	"strings"
)

// A Table is rows of cells.
type Table struct {
	rows   [][]string
	widths []int
}

// New returns a table with a head.
func New(head ...string) *Table {
	t := &Table{widths: make([]int, len(head))}
	t.add(head)
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.add(row)
}

func (t *Table) add(row []string) {
	for i, c := range row {
		if i < len(t.widths) && len(c) > t.widths[i] {
			t.widths[i] = len(c)
		}
	}
	t.rows = append(t.rows, row)
}

func (t *Table) String() string {
	var b strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, c := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			fmt.Fprintf(&line, "%-*s", t.widths[i], c)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
