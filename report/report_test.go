package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

func TestFileNamesDiffer(t *testing.T) {
	failed := runs(1, finding.Failed, 1)
	r := &finding.Result{Tests: []*finding.Test{
		{Package: "a/p", Name: "TestX", Runs: failed}, {Package: "b/p", Name: "TestX", Runs: failed}, {Package: "b/p", Name: "Testx", Runs: failed},
		{Package: "b/p", Name: "TestPassed", Runs: runs(1, finding.Failed)},
	}}
	names := FileNames(r)
	var got []string
	for _, test := range r.Tests {
		got = append(got, names[test])
	}
	if want := "a-p.TestX b-p.TestX b-p.Testx-2 "; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
}

// A replay is called by its test, with as much of the path of its package as tells it from others.
func TestReplayName(t *testing.T) {
	r := &finding.Result{}
	add := func(pkg, test string, files ...string) {
		x := &finding.Test{Package: pkg, Name: test}
		for _, f := range files {
			x.Verdicts = append(x.Verdicts, finding.Verdict{Proof: proof.Proof{Replay: "latest/" + f + proof.Suffix}})
		}
		r.Tests = append(r.Tests, x)
	}
	add("m/a/util", "TestX", "util.TestX-1")
	add("m/b/util", "TestX", "util.TestX-2")
	add("m/q", "TestX", "q.TestX-3")
	add("m/q", "TestY", "q.TestY-4")
	add("m/q", "TestZ", "q.TestZ-5", "q.TestZ-6")
	var got []string
	for _, x := range r.Tests {
		v := newViewer(r)
		v.of(x)
		for i := range x.Verdicts {
			got = append(got, v.replayName(&x.Verdicts[i]))
		}
	}
	if want := "a/util.TestX b/util.TestX q.TestX TestY q.TestZ-5 q.TestZ-6"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSourceChanged gives another source than the one the sites are of: the
// report is made from what there is.
func TestSourceChanged(t *testing.T) {
	for _, src := range []string{"", "package x\n", strings.Repeat("}\n", 40), "\xff\xfe\x00", strings.Repeat("`", 500)} {
		f := newFixture(t)
		test := f.queue()
		r := f.result(test)
		for path := range f.files {
			f.files[path] = src
		}
		if page := pageOf(t, r, test); !bytes.Contains(page, []byte("12 of 50 runs")) {
			t.Errorf("%.20q: no report", src)
		}
		r.Source = nil
		pageOf(t, r, test)
		r.Sites = nil
		pageOf(t, r, test)
	}
}

func TestReadJSONErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "not a result.json",
		"[]":                     "not a result.json",
		`{"schema":"other"}`:     "not a result.json of fdebug",
		`{"schema":"fdebug/v9"}`: "this version of fdebug reads",
		`{"schema":"fdebug/v1","tests":[{"runs":1,"failed":2}]}`:     "damaged",
		`{"schema":"fdebug/v1","tests":[{"report":"../../x.html"}]}`: "not a file name",
	} {
		if _, err := ReadJSON(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
}

func TestHowItFails(t *testing.T) {
	f := newFixture(t)
	test := f.rng()
	got := HowItFails(f.result(test), test, test.Failures[0])
	if want := "Runs diverge at `if n < 50` (rng.go:9). Failing runs go to `return 1` (rng.go:12), passing runs to `return 0` (rng.go:10)."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestWriteDirAgain writes over an earlier report, and into a directory that
// can't be made.
func TestWriteDirAgain(t *testing.T) {
	f := newFixture(t)
	r := f.result(f.rng())
	dir := t.TempDir()
	for range 2 {
		if _, err := WriteDir(t.Context(), dir, r); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	file := filepath.Join(dir, "result.json")
	if _, err := WriteDir(t.Context(), filepath.Join(file, "x"), r); err == nil {
		t.Error("no error for a directory below a file")
	}
}

// TestIndexControlRuns has a test that failed in a control run and in no other: it is flaky.
func TestIndexControlRuns(t *testing.T) {
	f := newFixture(t)
	test := &finding.Test{Package: "example.com/m", Name: "TestX", Runs: runs(50, finding.Passed), Plain: runs(5, finding.Passed)}
	test.Plain[3].Status = finding.Failed
	var page bytes.Buffer
	if err := newViewer(f.result(test)).index(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 flaky test", "0 of 50 runs failed (0%, 95% CI 0–7.1%). Without the recorder: 1 of 5."} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page.String(), "No test failed") {
		t.Error("no test failed, it says")
	}
	if w := newViewer(f.result(test)).test(test); w.Badge != "flaky" {
		t.Errorf("the page calls it %s", w.Badge)
	}
	if d := newViewer(f.result(test)).documentTest(test); !d.Flaky {
		t.Error("result.json says that it is not flaky")
	}
}

// Where recording makes a failure frequent, the rate without it leads.
func TestRecorderAdds(t *testing.T) {
	made := func(failed, passed int) []finding.Run {
		list := runs(failed+passed, finding.Passed)
		for i := range failed {
			list[i].Status, list[i].Failure = finding.Failed, 0
		}
		return list
	}
	for _, c := range []struct {
		with, without  []finding.Run
		page, terminal string
	}{
		{made(18, 2), made(1, 9), "Without the recorder: 1 of 10. 18 of 20 runs failed (90%, 95% CI 70–97%). Recording changes this rate.", "1 of 10 failed, 18 of 20 with the recorder"},
		{made(18, 2), made(8, 2), "18 of 20 runs failed (90%, 95% CI 70–97%). Without the recorder: 8 of 10.", "18 of 20 failed (90%)"},
		{made(2, 18), made(9, 1), "2 of 20 runs failed (10%, 95% CI 2.8–30%). Without the recorder: 9 of 10. Recording changes this rate.", "2 of 20 failed (10%)"},
	} {
		x := &finding.Test{Package: "p", Name: "TestX", Runs: c.with, Plain: c.without, Failures: []*finding.Failure{{Message: "lost"}}}
		r := newFixture(t).result(x)
		var page bytes.Buffer
		if err := Markdown(&page, r, x); err != nil || !strings.Contains(page.String(), c.page) {
			t.Errorf("no %q in\n%s%v", c.page, &page, err)
		}
		if line := (Terminal{}).Lines(r, x)[0]; !strings.Contains(line, "  "+c.terminal+"  ") {
			t.Errorf("no %q in %q", c.terminal, line)
		}
	}
}

// TestOldJSON reads a file of version 2, and finds there what programs rely on, as in one of today.
func TestOldJSON(t *testing.T) {
	read := func(name string) *Document {
		f, err := os.Open(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		d, err := ReadJSON(f)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	relied := func(d *Document) (list []any) {
		for _, x := range d.Tests {
			if c := x.Cause; c != nil {
				c.Places = nil // they came later
			}
			list = append(list, x.Package, x.Test, x.State, x.Flaky, x.Runs, x.Failed, x.Plain, x.Cause, x.Repro)
			for _, s := range x.Suspects {
				list = append(list, s.Span, s.Rule, s.Class, s.Link, s.Table, s.Why)
			}
			for _, f := range x.Failures {
				list = append(list, f.Signature, f.Message, f.Runs, f.Divergences)
			}
			for _, e := range x.Experiments {
				list = append(list, e.Verdict, e.Category, e.At, e.Confirmed)
			}
		}
		return list
	}
	if diff := cmp.Diff(relied(read("result-v2.json")), relied(read("golden/result.json"))); diff != "" {
		t.Errorf("version 2 (-) is read as another than version 3 (+):\n%s", diff)
	}
}

// TestKindsOfReplays has a replay file that was written before it was known of what kind the flake is: it names what
// result.json names.
func TestKindsOfReplays(t *testing.T) {
	dir, f := t.TempDir(), newFixture(t)
	p := proof.Proof{Version: proof.Version, Package: "example.com/m/p", Test: "TestX", Verdict: proof.Proved, Before: []string{"TestA"}}
	name := filepath.Join(dir, "p.TestX-1"+proof.Suffix)
	if err := p.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	p.Replay = ".fdebug/latest/" + filepath.Base(name)
	d := finding.Verdict{Proof: p, Category: "test-order"}
	r := f.result(&finding.Test{Package: p.Package, Name: p.Test, Verdicts: []finding.Verdict{d}})
	if _, err := WriteDir(t.Context(), dir, r); err != nil {
		t.Fatal(err)
	}
	kept, err := proof.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc Document
	if err := json.Unmarshal(data, &doc); err != nil || len(doc.Tests) != 1 || len(doc.Tests[0].Experiments) != 1 {
		t.Fatalf("%v, %s", err, data)
	}
	if e := doc.Tests[0].Experiments[0]; kept.Category != "test-order" || e.Category != kept.Category {
		t.Errorf("the replay file names %q, result.json %q", kept.Category, e.Category)
	}
	if r.Tests[0].Verdicts[0].Proof.Category != "" {
		t.Error("the proof was changed")
	}
}
