package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/lab/golden"
)

// aligned returns a table with a row of each program.
func aligned(head string, found []analysed, row func(analysed) string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, a := range found {
		fmt.Fprintln(w, row(a))
	}
	w.Flush()
	return b.String()
}

// checkRows compares text with a golden file line by line. With -short it leaves out the lines that are empty, and
// columns may be narrower.
func checkRows(t *testing.T, file, text string) {
	t.Helper()
	if !testing.Short() {
		golden.File(t, file, text)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(string(want), "\n")
	for i, row := range strings.Split(text, "\n") {
		if row != "" && (i >= len(was) || !sameCells(was[i], row)) {
			t.Errorf("line %d of %s: got\n%s\nwant\n%s", i+1, file, row, was[min(i, len(was)-1)])
		}
	}
}

// sameCells compares rows of tables whose columns may have different widths.
func sameCells(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }
