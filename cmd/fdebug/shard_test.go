package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/stored"
	"github.com/fdebug/fdebug/trace"
)

// What the script shards divides.
var (
	sharedRuns = flag.Int("runs", 20, "runs that are divided")
	manyShards = flag.Int("shards", 4, "shards they are divided among")
)

func shardVars() []string {
	return []string{fmt.Sprintf("RUNS=%d", *sharedRuns), fmt.Sprintf("SHARDS=%d", *manyShards)}
}

// sameRuns is the command "sameruns DIR DIR": two run directories have the same outcomes under
// each number, and the same reports except for times.
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

// outcomes lists the outcome of each test in each run.
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

// times matches when runs were made and how long they took, in reports.
var times = regexp.MustCompile(`"started": ?"[^"]*"|"elapsed_(s|ns)": ?[0-9.e-]+|\d{4}-\d\d-\d\d[ T][0-9:]+( UTC|Z)?|((&lt;|<|≈) ?)?\b(\d+m)?[0-9.]+(s|ms|µs)\b`)

func timeless(ts *testscript.TestScript, file string) string {
	data, err := os.ReadFile(file)
	ts.Check(err)
	return times.ReplaceAllString(string(data), "TIME")
}

// splitRun is a run directory that TestSplit divides, besides recorded ones.
var splitRun = flag.String("split", "", "run directory that is divided among -shards, too")

// TestSplit divides runs that were made by one machine among shards. Merging them gives the same
// reports, to the byte, and the same traces.
func TestSplit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, name := range []string{"crawler", "examples-testorder"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			openRecorded(t, recordedFile(name), dir)
			dir = filepath.Join(dir, "run")
			for _, later := range []string{"values", "races", "verdicts.json"} { // shards make no such runs
				os.RemoveAll(filepath.Join(dir, later))
			}
			testSplit(t, dir, *manyShards)
		})
	}
	if *splitRun != "" {
		t.Run("split", func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(dir, os.DirFS(*splitRun)); err != nil {
				t.Fatal(err)
			}
			testSplit(t, dir, *manyShards)
		})
	}
}

func testSplit(t *testing.T, dir string, of int) {
	a := &app{Console: &session.Console{Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }}}
	out, blobs := t.TempDir(), t.TempDir()
	var meta analyze.Meta
	if err := meta.ReadFile(dir); err != nil {
		t.Fatal(err)
	}
	meta.Options.Out = out // as typed for the merge, so that the commands shown are the same
	if err := meta.WriteFile(dir); err != nil {
		t.Fatal(err)
	}
	split(t, dir, of, blobs)
	if code, err := stored.Report(t.Context(), a.screen(), dir, ""); code != exit.Flaky || err != nil {
		t.Fatalf("the whole: exit code %d, %v", code, err)
	}
	if code, err := a.mergeCmd([]string{"-o", out, blobs}); code != exit.Flaky || err != nil {
		t.Fatalf("merged: exit code %d, %v", code, err)
	}
	n := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		base := filepath.Base(path)
		if d.IsDir() && base == "src" { // recorded runs have the whole module
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || slices.Contains([]string{"meta.json", "runs.jsonl", "lock"}, base) {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got, err := os.ReadFile(filepath.Join(out, "latest", rel))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v, %s", rel, err, cmp.Diff(string(want), string(got)))
		}
		n++
		return nil
	})
	if err != nil || n < 10 {
		t.Errorf("%d files, %v", n, err)
	}
	t.Logf("%d files are the same", n)
}

// split writes the blobs that shards would have left for the runs in a directory.
func split(t *testing.T, dir string, of int, to string) {
	results, err := runner.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
	if err != nil {
		t.Fatal(err)
	}
	var meta analyze.Meta
	if err := meta.ReadFile(dir); err != nil {
		t.Fatal(err)
	}
	source := func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(dir, "src", filepath.FromSlash(name)+analyze.KeptSuffix))
	}
	for i := 1; i <= of; i++ {
		part := t.TempDir()
		r := *results
		r.Packages = nil
		for _, p := range results.Packages {
			q := *p
			q.Runs, q.Controls = partOf(shard.Part{I: i, Of: of}, p.Runs), partOf(shard.Part{I: i, Of: of}, p.Controls)
			r.Packages = append(r.Packages, &q)
		}
		h := &shard.Header{
			Part: shard.Part{I: i, Of: of}, Attempt: 1, Key: fmt.Sprint(i), Command: meta.Command, N: r.N, Controls: r.Controls, Root: sites.Root,
			Host: "h", CPUs: 2,
		}
		h.Count(&r)
		for _, name := range []string{"meta.json", "sites.json"} {
			if err := copied(filepath.Join(dir, name), filepath.Join(part, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join(dir, "traces"), filepath.Join(part, "traces")); err != nil {
			t.Fatal(err)
		}
		if err := runner.Save(part, &r); err != nil {
			t.Fatal(err)
		}
		if err := shard.Write(filepath.Join(to, h.FileName()), h, part, &r, sites, source); err != nil {
			t.Fatal(err)
		}
	}
}

func partOf(p shard.Part, runs []*runner.Run) []*runner.Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *runner.Run) bool { return !p.Has(r.N) })
}

// fewer makes recipes of docs/ci.md small: 6 runs in 3 shards.
var fewer = strings.NewReplacer(
	"-n 2000", "-n 6", `"2000"`, `"6"`, "-n 800", "-n 6", "seq 8", "seq 3", "{}/8", "{}/3", "[1, 2, 3, 4]", "[1, 2, 3]", "}}/4", "}}/3",
	"parallel: 4", "parallel: 3", "auto/20", "auto/3", "ID/20", "ID/3", "completions: 20", "completions: 3", "array=1-20", "array=1-3",
	"/blobs/", "blobs/", "-o, /tmp/fdebug", "-o, out", "-budget 1h", "-budget 10m -kinds rand",
)

// executors says how the jobs of a recipe are started: the environment of the i-th shard, counted
// from 1.
var executors = map[string]func(i int) string{
	"github": func(int) string { return "GITHUB_ACTIONS=true GITHUB_RUN_ID=77 GITHUB_RUN_ATTEMPT=1" },
	"gitlab": func(i int) string {
		return fmt.Sprintf("GITLAB_CI=true CI_PIPELINE_ID=9 CI_NODE_INDEX=%d CI_NODE_TOTAL=3", i)
	},
	"kubernetes": func(i int) string { return fmt.Sprintf("JOB_COMPLETION_INDEX=%d", i-1) },
	"slurm": func(i int) string {
		return fmt.Sprintf("SLURM_ARRAY_JOB_ID=5 SLURM_ARRAY_TASK_ID=%d SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_COUNT=3", i)
	},
}

// jobLine matches a line of a workflow that is run.
var jobLine = regexp.MustCompile(`(?m)^ +- (?:run: )?((?:go|fdebug) .*)$`)

// recipe is the command "recipe NAME": it runs the commands of the block shards-NAME of
// docs/ci.md as the executor would, first for all shards and then for the merge, which fails
// because a test does.
func recipe(ts *testscript.TestScript, neg bool, args []string) {
	if !neg || len(args) != 1 {
		ts.Fatalf("usage: ! recipe NAME, of docs/ci.md")
	}
	body := recipeText(ts, args[0])
	shards, merge := body, ""
	if strings.Contains(body, "\nfdebug merge") || strings.Contains(body, "\n  merge:\n") || strings.Contains(body, "\nmerge:\n") {
		i := strings.LastIndex(body, "merge")
		if k := strings.Index(body, "merge:\n"); k >= 0 {
			i = k
		}
		i = strings.LastIndexByte(body[:i], '\n')
		shards, merge = body[:i+1], body[i+1:]
	}
	env := executors[args[0]]
	for i := 1; i <= 3 && env != nil; i++ {
		ts.Check(ts.Exec("bash", "-ec", script(shards, env(i), i)))
	}
	if env == nil {
		ts.Check(ts.Exec("bash", "-ec", shards))
	}
	if merge == "" {
		merge = "fdebug merge blobs"
	}
	if err := ts.Exec("bash", "-ec", script(merge, "A=b", 0)); err == nil {
		ts.Fatalf("%s: the merge did not fail", args[0])
	}
}

// recipeText returns the block shards-NAME of docs/ci.md, made small.
func recipeText(ts *testscript.TestScript, name string) string {
	_, body, err := docBlock(ciDocs, "shards-"+name)
	ts.Check(err)
	return fewer.Replace(body)
}

// slurmCommand is the command "slurm RECIPE...": it makes Slurm's programs find a cluster on this
// machine, and writes recipes to files, as RECIPE.sh.
func slurmCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: slurm RECIPE...")
	}
	cluster, err := theCluster.Cluster()
	ts.Check(err)
	ts.Setenv("SLURM_CONF", cluster.Config())
	for _, name := range args {
		ts.Check(os.WriteFile(ts.MkAbs(name+".sh"), []byte(recipeText(ts, name)+"\n"), 0o755))
	}
}

// script returns the commands of one job of a recipe.
func script(body, env string, i int) string {
	out := "export " + env + "\n"
	if list := between(body, "command: [", "]"); list != "" {
		return out + strings.ReplaceAll(list, ",", "") + "\n"
	}
	lines := jobLine.FindAllStringSubmatch(body, -1)
	if lines == nil {
		return out + body
	}
	for _, m := range lines {
		if m[1] != install {
			out += strings.ReplaceAll(m[1], "${{ matrix.shard }}", fmt.Sprint(i)) + "\n"
		}
	}
	return out
}

func between(s, begin, end string) string {
	_, s, ok := strings.Cut(s, begin)
	s, _, ok2 := strings.Cut(s, end)
	if !ok || !ok2 {
		return ""
	}
	return s
}

// copied copies a file.
func copied(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}
