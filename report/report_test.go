package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

func TestFileName(t *testing.T) {
	long := strings.Repeat("long/", 100)
	for _, tt := range []struct{ pkg, test, want string }{
		{"example.com/m/p", "TestX", "p.TestX"},
		{"example.com/m/p", "TestX/case_3", "p.TestX-case_3"},
		{"p", "TestX/a:b*c?", "p.TestX-a_b_c_"},
		{"p", "TestX/ünïcode", "p.TestX-_n_code"},
		{"example.com/con", "TestX", "_con.TestX"},
		{"example.com/.hidden", "TestX", "_.hidden.TestX"},
		{"p", "TestX/../../etc/passwd", "p.TestX-..-..-etc-passwd"},
		{"p", "", "p.package"},
	} {
		if got := fileName(&finding.Test{Package: tt.pkg, Name: tt.test}); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.pkg, tt.test, got, tt.want)
		}
	}
	a, b := fileName(&finding.Test{Package: "p", Name: long + "a"}), fileName(&finding.Test{Package: "p", Name: long + "b"})
	if len(a) > 140 || a == b {
		t.Errorf("long names: %s and %s", a, b)
	}
}

func TestFileNamesDiffer(t *testing.T) {
	failed := runs(1, finding.Failed, 1)
	r := &finding.Result{Tests: []*finding.Test{
		{Package: "a/p", Name: "TestX", Runs: failed}, {Package: "b/p", Name: "TestX", Runs: failed}, {Package: "b/p", Name: "Testx", Runs: failed},
		{Package: "b/p", Name: "TestPassed", Runs: runs(1, finding.Failed)},
	}}
	names := fileNames(r)
	var got []string
	for _, test := range r.Tests {
		got = append(got, names[test])
	}
	if want := "p.TestX p.TestX-2 p.Testx-3 "; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
}

func TestClean(t *testing.T) {
	c := newCleaner("/srv/people/ann", []string{"DEPLOY_TOKEN=correct horse\"battery", "PATH=/usr/bin", "API_KEY=short"})
	for _, tt := range []struct{ in, want string }{
		{"\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07", "red link"},
		{"a\r\nb\rc", "a\nb\nc"},
		{"nul\x00 bell\x07 del\x7f", "nul␀ bell␇ del␡"},
		{"bad\xffutf", "bad\uFFFDutf"},
		{"x\u202ey", "x‹U+202E›y"},
		{"/srv/people/ann/x /srv/people/anna/x", "~/x /srv/people/anna/x"},
		{"open /home/bob/proj/a.go: no", "open ~/proj/a.go: no"},
		{"/Users/bob/x C:\\Users\\bob\\x /root/x", "~/x ~\\x ~/x"},
		{"/data/home/x and ~/home/bob/", "/data/home/x and ~/home/bob/"},
		{"tab\tstays", "tab\tstays"},
		{"with correct horse\"battery, PATH=/usr/bin and short", "with ***, PATH=/usr/bin and short"},
		{`its value was "correct horse\"battery"`, `its value was "***"`},
	} {
		if got := c.text(tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
	if got := c.cut("of correct horse\"battery, and more of the same", 9, 30); strings.Contains(got, "correct") {
		t.Errorf("cut in two: %q", got)
	}
	got := c.cut(strings.Repeat("0123456789\n", 100), 20, 30)
	if want := "0123456789\n\n[... 1067 bytes left out here ...]\n\n0123456789\n0123456789\n"; got != want {
		t.Errorf("cut: %q, want %q", got, want)
	}
}

// TestTrim checks what of a block counts as its lines.
func TestTrim(t *testing.T) {
	for _, tt := range []struct {
		src        string
		start, end [2]int // line and column
		want       string // lines of it, and the text
	}{
		{"{\n\treturn 0\n}", [2]int{1, 1}, [2]int{3, 2}, "2 return 0"},
		{"if x { return 0 }", [2]int{1, 6}, [2]int{1, 18}, "1 return 0"},
		{"a()\n\n// comment\nb()", [2]int{1, 1}, [2]int{4, 4}, "1 4 a()\n\n// comment\nb()"},
		{"x := T{\n\t1,\n}\nif x {", [2]int{1, 1}, [2]int{4, 6}, "1 2 3 4 x := T{\n\t1,\n}\nif x"},
		{"s := `a\nb`\n}", [2]int{1, 1}, [2]int{3, 2}, "1 2 s := `a\nb`"},
		{"{}", [2]int{1, 1}, [2]int{1, 3}, "1 {"},
		{"//line other.go:100\nx()", [2]int{1, 1}, [2]int{2, 4}, "2 x()"},
		{"case 1:\n\tf()", [2]int{1, 7}, [2]int{2, 5}, "2 f()"},
	} {
		s := newSources(&finding.Result{Source: func(string) ([]byte, error) { return []byte(tt.src), nil }})
		p := place{Span: trace.Span{File: "x.go", Start: tt.start[0], End: tt.end[0]}, StartCol: tt.start[1], EndCol: tt.end[1]}
		s.trim(&p)
		text, _ := s.text(p)
		got := ""
		for _, n := range p.Lines {
			got += string(rune('0'+n)) + " "
		}
		if got += text; got != tt.want {
			t.Errorf("%q: %q, want %q", tt.src, got, tt.want)
		}
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
		if _, err := WriteDir(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 4 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	file := filepath.Join(dir, "result.json")
	if _, err := WriteDir(filepath.Join(file, "x"), r); err == nil {
		t.Error("no error for a directory below a file")
	}
}

// TestIndexControlRuns has a test that failed in a control run and in no other: it is flaky.
func TestIndexControlRuns(t *testing.T) {
	f := newFixture(t)
	test := &finding.Test{Package: "example.com/m", Name: "TestX", Runs: runs(50, finding.Passed), Plain: runs(5, finding.Passed)}
	test.Plain[3].Status = finding.Failed
	var page bytes.Buffer
	if err := indexHTML(&page, f.result(test)); err != nil {
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
