package shard

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// start is when the sample runs were made.
var start = time.Date(2026, 5, 6, 7, 8, 9, 10, time.UTC)

// sampleResults are runs of two packages: n of each, with traces, and k control runs. Every
// seventh run of the first package fails.
func sampleResults(n, k int) *runner.Results {
	r := &runner.Results{Started: start, Elapsed: time.Hour, N: n, Controls: k, Parallel: 1}
	for i, name := range []string{"example.com/m/a", "example.com/m/b"} {
		p := &runner.Package{Target: runner.Target{ImportPath: name, Dir: "/src/m/" + name[len(name)-1:]}}
		for run := 1; run <= n; run++ {
			p.Runs = append(p.Runs, sampleRun(p, i, run, false))
		}
		for run := 1; run <= k; run++ {
			p.Controls = append(p.Controls, sampleRun(p, i, run, true))
		}
		r.Packages = append(r.Packages, p)
	}
	return r
}

func sampleRun(p *runner.Package, i, n int, control bool) *runner.Run {
	run := &runner.Run{
		Package: p.ImportPath, N: n, Control: control, Started: start.Add(time.Duration(n) * time.Second), Wall: 5, Seed: uint64(n),
		Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Passed}, {Test: "TestY", Status: runner.Passed}},
	}
	if control {
		run.Seed = 0
		return run
	}
	run.Traces = []string{fmt.Sprintf("traces/%03d-x/%04d.trace", i+1, n)}
	if i == 0 && n%7 == 0 {
		run.Exit.Code = 1
		run.Outcomes[0] = &runner.Outcome{
			Test: "TestX", Status: runner.Failed, Output: "    x_test.go:9: odd\n", Message: "odd",
			Signature: runner.Signature{Test: "TestX", Frame: trace.Frame{File: "/src/m/a/x_test.go", Line: 9}, Message: "odd"},
		}
	}
	return run
}

// sampleSites is a table of two files.
func sampleSites() *trace.Sites {
	return &trace.Sites{
		Module: "example.com/m", Root: "/src/m",
		Files:  []trace.File{{Path: "a/x_test.go", Name: "example.com/m/a/x_test.go"}, {Path: "../other/y.go", Name: "example.com/other/y.go"}},
		Funcs:  []trace.Func{{File: 0, Name: "TestX", Line: 1, End: 20}},
		Blocks: []trace.Block{{}, {StartLine: 1, StartCol: 1, EndLine: 20, EndCol: 1, Stmts: 1}},
	}
}

func sampleHeader(p Part, n, k int) *Header {
	return &Header{
		Part: p, Attempt: 1, Key: fmt.Sprint("key ", p.I), Command: []string{"fdebug", "run"}, Host: "h", CPUs: 2, Started: start, N: n, Controls: k,
		Facts: []Fact{{"module", "example.com/m"}, {"-seed", "7"}}, Root: "/src/m",
	}
}

// part keeps the runs of a part, and counts them.
func part(h *Header, whole *runner.Results) *runner.Results {
	r := *whole
	r.Packages = nil
	mine := func(runs []*runner.Run) (list []*runner.Run) {
		for _, run := range runs {
			if h.Part.Has(run.N) {
				list = append(list, run)
				h.Runs++
				if run.Failed() {
					h.Failed++
				}
			}
		}
		return list
	}
	for _, p := range whole.Packages {
		q := *p
		q.Runs, q.Controls = mine(p.Runs), mine(p.Controls)
		r.Packages = append(r.Packages, &q)
	}
	return &r
}

// writeShard writes the blob of a part of results and returns the name of the file. The content
// of each trace is its name.
func writeShard(t testing.TB, to string, h *Header, whole *runner.Results) string {
	t.Helper()
	r, dir := part(h, whole), t.TempDir()
	if err := runner.Save(dir, r); err != nil {
		t.Fatal(err)
	}
	if err := sampleSites().WriteFile(filepath.Join(dir, sitesFile)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "meta.json"), "{}")
	for _, p := range r.Packages {
		for _, run := range p.Runs {
			for _, name := range run.Traces {
				write(t, filepath.Join(dir, name), name)
			}
		}
	}
	file := filepath.Join(to, h.FileName())
	source := func(name string) ([]byte, error) { return []byte("// " + name), nil }
	if err := Write(file, h, dir, r, sampleSites(), source); err != nil {
		t.Fatal(err)
	}
	return file
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestMerge divides runs among 6 shards. Merged, they are those of the whole.
func TestMerge(t *testing.T) {
	whole, blobs, dir := sampleResults(20, 7), t.TempDir(), t.TempDir()
	for i := 1; i <= 6; i++ {
		writeShard(t, blobs, sampleHeader(Part{i, 6}, 20, 7), whole)
	}
	files, err := Files([]string{blobs})
	if err != nil {
		t.Fatal(err)
	}
	s := Choose(files)
	if !s.Whole() || len(s.Entries) != 6 {
		t.Fatalf("%+v", s)
	}
	if err := (&Merger{Set: s, Dir: dir}).Merge(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	got, err := runner.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	opts := cmp.Options{cmpopts.IgnoreUnexported(runner.Run{}), cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(0)}
	if diff := cmp.Diff(whole, got, opts); diff != "" {
		t.Error(diff)
	}
	for _, p := range whole.Packages {
		for _, run := range p.Runs {
			if text, err := os.ReadFile(filepath.Join(dir, run.Traces[0])); err != nil || string(text) != run.Traces[0] {
				t.Errorf("%s: %q, %v", run.Traces[0], text, err)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "src/a/x_test.go.txt")); err != nil || string(text) != "// a/x_test.go" {
		t.Errorf("source %q, %v", text, err)
	}
}

// TestMergeOfBudgets merges shards that ended at different points. Warnings say which shard they
// come from, and very many are only counted.
func TestMergeOfBudgets(t *testing.T) {
	blobs, dir := t.TempDir(), t.TempDir()
	for i := 1; i <= 9; i++ {
		r := sampleResults(18, 0)
		r.OverBudget = true
		r.Packages[0].Warnings = []string{"stopped after 1 of 2 runs"}
		if i == 3 { // no time for the second package
			r.Packages, r.Elapsed = r.Packages[:1], 2*time.Hour
			r.Packages[0].Unfinished = &runner.Run{Package: "example.com/m/a", N: 12, Wall: 7}
		}
		writeShard(t, blobs, sampleHeader(Part{i, 9}, 18, 0), r)
	}
	files, _ := Files([]string{blobs})
	if err := (&Merger{Set: Choose(files), Dir: dir, Warnings: []string{"of the whole"}}).Merge(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	r, err := runner.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Packages[0]
	if !r.OverBudget || r.Interrupted || r.Elapsed != 2*time.Hour || len(r.Packages) != 2 || len(r.Packages[1].Runs) != 16 || len(r.Warnings) != 1 {
		t.Errorf("%+v", r)
	}
	if len(p.Warnings) != 6 || p.Warnings[0] != "shard 1/9: stopped after 1 of 2 runs" || p.Warnings[5] != "4 more warnings of shards" || p.Unfinished == nil {
		t.Errorf("%q, %+v", p.Warnings, p.Unfinished)
	}
}

// TestMergeElsewhere merges shards whose modules are in different directories. Places are named
// as in the first one.
func TestMergeElsewhere(t *testing.T) {
	blobs, dir := t.TempDir(), t.TempDir()
	for i := 1; i <= 2; i++ {
		h, r := sampleHeader(Part{i, 2}, 14, 0), sampleResults(14, 0)
		h.Root = fmt.Sprintf("/src/m%d", i)
		for _, run := range r.Packages[0].Runs {
			run.Traces = nil // these have no valid format
			for _, o := range run.Outcomes {
				o.Signature.Frame.File = strings.Replace(o.Signature.Frame.File, "/src/m/", h.Root+"/", 1)
			}
		}
		for _, run := range r.Packages[1].Runs {
			run.Traces = nil
		}
		writeShard(t, blobs, h, r)
	}
	files, _ := Files([]string{blobs})
	if err := (&Merger{Set: Choose(files), Dir: dir}).Merge(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	r, err := runner.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{7, 14} {
		if got := r.Packages[0].Runs[n-1].Outcomes[0].Signature.Frame.File; got != "/src/m1/a/x_test.go" {
			t.Errorf("run %d failed in %s", n, got)
		}
	}
}

// TestKept keeps the traces of low numbers and of failures, and limits the latter.
func TestKept(t *testing.T) {
	var k Kept
	pass, fail := &runner.Outcome{Status: runner.Passed}, &runner.Outcome{Status: runner.Failed}
	late := 0
	for n := 1; n <= 3*Traced; n++ {
		if got := k.has(&runner.Run{Package: "a", N: n, Outcomes: []*runner.Outcome{pass}}); got != (n <= Traced) {
			t.Fatalf("run %d, which passes, is kept: %v", n, got)
		}
		if k.has(&runner.Run{Package: "b", N: n, Outcomes: []*runner.Outcome{fail}}) && n > Traced {
			late++
		}
	}
	if late != Traced {
		t.Errorf("%d late failures are kept", late)
	}
}

// TestChoose has sets of blobs with something wrong.
func TestChoose(t *testing.T) {
	type change func(h *Header)
	ok := func(*Header) {}
	for _, c := range []struct {
		name     string
		blobs    []change // for shards 1/3, 2/3, 3/3, and then 2/3 again
		whole    bool
		missing  []int
		problems []string
	}{
		{"whole", []change{ok, ok, ok}, true, nil, nil},
		{"missing", []change{ok, nil, ok}, false, []int{2}, nil},
		{"last missing", []change{ok, ok}, false, []int{3}, nil},
		{"interrupted", []change{ok, func(h *Header) { h.Interrupted = true }, ok}, false, nil, nil},
		{"later attempt", []change{ok, ok, ok, func(h *Header) { h.Attempt, h.Key = 2, "x" }}, true, nil, []string{"shard 2/3, attempt 1, of h again, and not used: attempt 2 is later"}},
		{"same attempt", []change{ok, ok, ok, func(h *Header) { h.Started, h.Key = start.Add(1), "x" }}, true, nil, []string{"began later"}},
		{"same blob", []change{ok, ok, ok, ok}, true, nil, []string{"the same as"}},
		{"other seed", []change{ok, func(h *Header) { h.Facts[1].Value = "8" }, ok}, false, []int{2}, []string{"of another run: -seed is 8, of the others 7"}},
		{"other fact", []change{ok, func(h *Header) { h.Facts[1].Name = "commit" }, ok}, false, []int{2}, []string{"of another run: commit is 7, of the others none"}},
		{"fewer facts", []change{ok, func(h *Header) { h.Facts = h.Facts[:1] }, ok}, false, []int{2}, []string{"of another run: -seed is not known, of the others it is 7"}},
		{"other bundle", []change{ok, func(h *Header) { h.Bundle = "b1" }, ok}, false, []int{2}, []string{"of bundle b1, the others are of none"}},
		{"other division", []change{ok, func(h *Header) { h.Part.Of = 4 }, ok}, false, []int{2}, []string{"one of 4 shards, the others are of 3"}},
		{"newer", []change{ok, func(h *Header) { h.Version = 2 }, ok}, false, []int{2}, []string{"written by a newer fdebug: format 2, this one reads 1"}},
	} {
		dir := t.TempDir()
		for i, change := range c.blobs {
			if change == nil {
				continue
			}
			h := sampleHeader(Part{[]int{1, 2, 3, 2}[i], 3}, 6, 0)
			h.Version = version
			change(h)
			writeZip(t, filepath.Join(dir, fmt.Sprintf("%d%s", i, suffix)), map[string]any{headerFile: h})
		}
		files, err := Files([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		s := Choose(files)
		if s.Whole() != c.whole || !slices.Equal(s.Missing, c.missing) || len(s.Problems) != len(c.problems) {
			t.Errorf("%s: whole %v, missing %v, %d problems", c.name, s.Whole(), s.Missing, len(s.Problems))
		}
		for i, p := range s.Problems {
			if i < len(c.problems) && !strings.Contains(p.What, c.problems[i]) {
				t.Errorf("%s: %q, want %q", c.name, p.What, c.problems[i])
			}
		}
	}
}

// writeZip writes an archive, of headers or of text.
func writeZip(t testing.TB, name string, files map[string]any) {
	t.Helper()
	var b bytes.Buffer
	w := &writer{zip: zip.NewWriter(&b)}
	for name, content := range files {
		if text, ok := content.(string); ok {
			w.add(name, zip.Deflate, strings.NewReader(text))
		} else {
			w.json(name, content)
		}
	}
	if err := errors.Join(w.err, w.zip.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, name, b.String())
}

// TestFileName checks that names sort by shard.
func TestFileName(t *testing.T) {
	h := sampleHeader(Part{3, 20}, 100, 0)
	h.Attempt = 2
	if got, want := h.FileName(), "fdebug-"+h.id()+"-03-of-20-attempt-2.fdshard"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	o := sampleHeader(Part{4, 20}, 100, 0)
	if h.id() != o.id() {
		t.Error("two shards of a whole have different ids")
	}
	o.Part.Of = 21
	if h.id() == o.id() {
		t.Error("shards of two wholes have one id")
	}
}

// TestSeedFor gives all shards of a run one seed, and the next run another.
func TestSeedFor(t *testing.T) {
	facts := sampleHeader(Part{1, 3}, 1, 0).Facts
	a, b, c := SeedFor("run 1", facts, 3), SeedFor("run 1", facts, 3), SeedFor("run 2", facts, 3)
	if a != b || a == c || a == 0 || a>>53 != 0 {
		t.Errorf("seeds %d, %d, %d", a, b, c)
	}
}

// TestHashes identifies tables and sources by their content, not by their directory.
func TestHashes(t *testing.T) {
	a, b := sampleSites(), sampleSites()
	b.Root = "/elsewhere"
	one, _ := SitesHash(a)
	if two, _ := SitesHash(b); one != two || a.Root != "/src/m" {
		t.Error("the place of the module makes a difference")
	}
	b.Blocks[1].EndLine++
	if two, _ := SitesHash(b); one == two {
		t.Error("a block makes no difference")
	}
	read := func(text string) func(string) ([]byte, error) {
		return func(name string) ([]byte, error) {
			if name == "go.sum" {
				return nil, os.ErrNotExist
			}
			return []byte(name + text), nil
		}
	}
	x, again, y := SourcesHash(a, read("x")), SourcesHash(a, read("x")), SourcesHash(a, read("y"))
	if x != again || x == y {
		t.Error("sources are not told apart")
	}
}

// BenchmarkWrite writes the blob of 1,000 runs of each of two packages, with a trace of 2 kB each.
func BenchmarkWrite(b *testing.B) {
	whole, dir := sampleResults(1000, 0), b.TempDir()
	h := sampleHeader(Part{1, 1}, 1000, 0)
	r := part(h, whole)
	if err := runner.Save(dir, r); err != nil {
		b.Fatal(err)
	}
	write(b, filepath.Join(dir, sitesFile), "{}")
	write(b, filepath.Join(dir, metaFile), "{}")
	for _, p := range r.Packages {
		for _, run := range p.Runs {
			write(b, filepath.Join(dir, run.Traces[0]), strings.Repeat(run.Traces[0], 80))
		}
	}
	file := filepath.Join(b.TempDir(), h.FileName())
	for b.Loop() {
		if err := Write(file, h, dir, r, sampleSites(), func(string) ([]byte, error) { return nil, os.ErrNotExist }); err != nil {
			b.Fatal(err)
		}
	}
	if info, err := os.Stat(file); err == nil {
		b.ReportMetric(float64(info.Size())/1024, "kB")
	}
}
