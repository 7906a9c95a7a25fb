package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

var update = flag.Bool("update", false, "write testdata/recorded.golden anew")

// TestRecorded analyses all recorded runs and compares the findings with
// testdata/recorded.golden: for each program the first suspect, with its evidence, and whether it
// is on the cause. With -short it uses every sixteenth program.
func TestRecorded(t *testing.T) {
	list := truth(t)
	rows := make([]string, len(list))
	t.Run("program", func(t *testing.T) {
		for i, p := range list {
			t.Run(p.name, func(t *testing.T) {
				if testing.Short() && i%16 != 1 {
					t.Skip("one in sixteen is enough")
				}
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
	if *update && !testing.Short() {
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
		if testing.Short() && i > 0 && i <= len(rows) && rows[i-1] == "" {
			continue // left out
		}
		if i >= len(was) || was[i] != row && !(testing.Short() && sameCells(was[i], row)) {
			t.Errorf("line %d of %s: got\n%s\nwant\n%s", i+1, golden, row, was[min(i, len(was)-1)])
		}
	}
}

// sameCells compares rows of tables whose columns may have different widths.
func sameCells(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

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

// TestRecordedAnywhere checks that recorded runs contain nothing from the machine on which they
// were made. With -short it reads every fourth file.
func TestRecordedAnywhere(t *testing.T) {
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/recorded/*" + recordedExt)
	more, _ := filepath.Glob(root + "/cmd/fdebug/testdata/recorded/*" + recordedExt)
	if files = append(files, more...); err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for i, file := range files {
		if testing.Short() && i%4 != 0 {
			continue
		}
		dir := t.TempDir()
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		err = recorded.Unpack(f, dir)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
		if err != nil || !strings.HasPrefix(sites.Root, "/tmp/flaky/") {
			t.Errorf("%s was recorded in %s, %v", file, sites.Root, err)
		}
		filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if data, _ := os.ReadFile(name); bytes.Contains(data, []byte(repository)) || bytes.Contains(data, []byte("/home/")) || bytes.Contains(data, []byte("/root/")) {
				t.Errorf("%s: %s names a directory of one machine", file, name)
			}
			return err
		})
	}
}
