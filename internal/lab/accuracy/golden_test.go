package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

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
func checkRows(t *testing.T, golden, text string) {
	t.Helper()
	if *update && !testing.Short() {
		if err := os.WriteFile(golden, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !testing.Short() {
		if diff := cmp.Diff(string(want), text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
		return
	}
	was := strings.Split(string(want), "\n")
	for i, row := range strings.Split(text, "\n") {
		if row != "" && (i >= len(was) || !sameCells(was[i], row)) {
			t.Errorf("line %d of %s: got\n%s\nwant\n%s", i+1, golden, row, was[min(i, len(was)-1)])
		}
	}
}

// sameCells compares rows of tables whose columns may have different widths.
func sameCells(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }
