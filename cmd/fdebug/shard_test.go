package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdebug/fdebug/internal/runner"
)

// What the script shards divides.
var (
	manyRuns   = flag.Int("runs", 20, "runs that are divided")
	manyShards = flag.Int("shards", 4, "shards they are divided among")
)

func shardVars() []string {
	return []string{fmt.Sprintf("RUNS=%d", *manyRuns), fmt.Sprintf("SHARDS=%d", *manyShards)}
}

// sameRuns is the command "sameruns DIR DIR": two run directories have the same outcomes
// under each number, and the same reports but for times.
func sameRuns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sameruns DIR DIR")
	}
	a, b := ts.MkAbs(args[0]), ts.MkAbs(args[1])
	if diff := cmp.Diff(outcomes(ts, a), outcomes(ts, b)); diff != "" {
		ts.Fatalf("runs differ:\n%s", diff)
	}
	pages, err := filepath.Glob(filepath.Join(a, "*.*"))
	ts.Check(err)
	n := 0
	for _, name := range pages {
		if base := filepath.Base(name); slices.Contains([]string{".html", ".md"}, filepath.Ext(name)) || base == "result.json" {
			n++
			if diff := cmp.Diff(timeless(ts, name), timeless(ts, filepath.Join(b, base))); diff != "" {
				ts.Fatalf("%s differs:\n%s", base, diff)
			}
		}
	}
	if n < 4 {
		ts.Fatalf("%s has %d reports", a, n)
	}
}

// outcomes writes down what became of each test in each run.
func outcomes(ts *testscript.TestScript, dir string) (list []string) {
	r, err := runner.Load(dir)
	ts.Check(err)
	for _, p := range r.Packages {
		for _, run := range slices.Concat(p.Runs, p.Controls) {
			text := fmt.Sprintf("%s %d %v, seed %d, %d traces:", p.ImportPath, run.N, run.Control, run.Seed, len(run.Traces))
			for _, o := range run.Outcomes {
				text += fmt.Sprintf(" %s %s %q", o.Test, o.Status, o.Signature)
			}
			list = append(list, text)
		}
	}
	if len(list) == 0 {
		ts.Fatalf("%s has no runs", dir)
	}
	return list
}

// times are when runs were made and how long they took, in reports.
var times = regexp.MustCompile(`"started": ?"[^"]*"|"elapsed_(s|ns)": ?[0-9.e-]+|\d{4}-\d\d-\d\d[ T][0-9:]+( UTC|Z)?|\b(\d+m)?[0-9.]+(s|ms|µs)\b`)

func timeless(ts *testscript.TestScript, file string) string {
	data, err := os.ReadFile(file)
	ts.Check(err)
	return times.ReplaceAllString(string(data), "TIME")
}
