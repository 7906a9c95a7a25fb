package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/fdebug/fdebug/report"
)

var update = flag.Bool("update", false, "write testdata/recorded.golden anew")

// TestRecorded analyses all recorded runs and compares what is said of them with
// testdata/recorded.golden: of each program the first suspect, with its evidence,
// and whether it is on the cause.
func TestRecorded(t *testing.T) {
	list := truth(t)
	rows := make([]string, len(list))
	t.Run("program", func(t *testing.T) {
		for i, p := range list {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = recordedRow(t, p)
			})
		}
	})
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "program\tfailing\tfirst suspect\trule\tclass\tlink\tcause\trank")
	for _, r := range rows {
		fmt.Fprintln(w, r)
	}
	w.Flush()
	const golden = "testdata/recorded.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(string(want), "\n")
	for i, row := range strings.Split(b.String(), "\n") {
		if i >= len(was) || was[i] != row {
			t.Errorf("line %d of %s: got\n%s\nwant\n%s", i+1, golden, row, was[min(i, len(was)-1)])
		}
	}
}

// recordedRow returns a program's row of the table.
func recordedRow(t *testing.T, p *program) string {
	r := &replay{root: root}
	rec, done, err := r.open(p)
	if errors.Is(err, errNotRecorded) {
		return p.name + "\tnot recorded"
	} else if err != nil {
		t.Fatal(err)
	}
	defer done()
	doc, err := document(rec)
	if err != nil {
		t.Fatal(err)
	}
	g := judge(p, doc)
	var s report.DocumentSuspect
	if test := find(doc, p); test != nil && len(test.Suspects) > 0 {
		s = test.Suspects[0]
	}
	return strings.Join([]string{
		p.name, share(g.failing, g.runs), cmp.Or(g.first, "-"), cmp.Or(s.Rule, "-"), cmp.Or(s.Class, "-"), cmp.Or(s.Link, "-"), g.verdict, number(g.rank),
	}, "\t")
}
