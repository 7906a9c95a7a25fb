package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/cover"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/alloc"
	"github.com/fdebug/fdebug/internal/listing"
)

// maxAlloc bounds what the readers of this package may allocate for a file of n
// bytes, counting what is free again: a full page takes some 70 MB on its way,
// and the rest is in proportion.
func maxAlloc(n int) uint64 { return 128<<20 + 2000*uint64(n) }

// bounded fails the test if f allocates out of proportion to an input of n bytes.
func bounded(t *testing.T, n int, f func()) {
	t.Helper()
	alloc.Check(t, n, maxAlloc(n), f)
}

// coverageSource is the file that profiles of seeds are of.
const coverageSource = "package m\n\nfunc F(n int) string {\n\tif n%2 == 1 {\n\t\treturn \"odd\"\n\t}\n\treturn \"even\"\n}\n"

// FuzzCoverage compares two coverage profiles and writes the page. With -short it does so
// with a fourth of the corpus.
func FuzzCoverage(f *testing.F) {
	const pass = "mode: set\nm/m.go:3.22,4.14 1 1\nm/m.go:4.14,6.3 1 0\nm/m.go:7.2,7.15 1 1\n"
	const fail = "mode: set\nm/m.go:3.22,4.14 1 1\nm/m.go:4.14,6.3 1 1\nm/m.go:7.2,7.15 1 0\n"
	f.Add([]byte(pass), []byte(fail))
	f.Add([]byte("mode: atomic\nm/m.go:1.1,9.9 3 70000\n"), []byte("mode: count\nn/<b>.go:0.0,0.0 0 1\n"))
	f.Add([]byte("mode: set\nm/m.go:9.1,2.1 1 1\n"), []byte("mode: set\nm/m.go:1.1,30000.1 1 1\n"))
	f.Fuzz(func(t *testing.T, pass, fail []byte) {
		if testing.Short() && (len(pass)+len(fail))%4 != 0 {
			t.Skip("a fourth is enough")
		}
		bounded(t, len(pass)+len(fail), func() { compareCoverage(t, pass, fail) })
	})
}

func compareCoverage(t *testing.T, pass, fail []byte) {
	p, perr := cover.ParseProfilesFromReader(bytes.NewReader(pass))
	q, qerr := cover.ParseProfilesFromReader(bytes.NewReader(fail))
	if perr != nil || qerr != nil {
		return
	}
	d, err := divergence.Diff([][]*cover.Profile{p, p}, [][]*cover.Profile{q})
	if err != nil {
		return
	}
	checkDiff(t, d, 2, 1)
	source := func(name string) ([]byte, error) {
		if name == "m/m.go" {
			return []byte(coverageSource), nil
		}
		return nil, os.ErrNotExist
	}
	var page bytes.Buffer
	if err := DiffHTML(&page, &CoverageDiff{Diff: d, Source: source}); err != nil {
		t.Fatal(err)
	}
	if page.Len() > maxPage {
		t.Errorf("a page of %d bytes", page.Len())
	}
}

// checkDiff checks that the lines of a comparison are in order, that some run
// ran each of them, and none more often than there are runs.
func checkDiff(t *testing.T, d *divergence.CoverDiff, pass, fail int) {
	for _, f := range d.Files {
		last := -1
		for _, l := range f.Lines {
			if l.Line <= last || l.Pass+l.Fail == 0 || l.Pass%2 != 0 || l.Pass > pass || l.Fail > fail || l.Ochiai < 0 || l.Ochiai > 1 {
				t.Fatalf("%s: line %+v after %d", f.Name, l, last)
			}
			last = l.Line
		}
	}
}

// TestSmallHostileFiles has files of about 1 kB that were made to cost much.
func TestSmallHostileFiles(t *testing.T) {
	nested := bytes.Repeat([]byte("["), 1000)
	deep := append([]byte(`{"schema":"fdebug/v1","tests":`), nested...)
	var many []byte
	for i := range 30 {
		many = fmt.Appendf(many, "p/%d.go:1.1,1200.1 1 1\n", i)
	}
	good := []byte("mode: set\nm/m.go:3.22,4.14 1 1\n")
	for name, read := range map[string]func(){
		"result.json, nested": func() { ReadJSON(bytes.NewReader(deep)) },
		"result.json, exponents": func() {
			ReadJSON(bytes.NewReader([]byte(`{"schema":"fdebug/v1","tests":[{"runs":1e18,"passed":1e18}]}`)))
		},
		"notes, quotes":        func() { newViewer(&finding.Result{}).notes(string(bytes.Repeat([]byte(">"), 1000))) },
		"notes, brackets":      func() { newViewer(&finding.Result{}).notes(string(nested)) },
		"notes, lists":         func() { newViewer(&finding.Result{}).notes(string(bytes.Repeat([]byte("* "), 500))) },
		"coverage, many lines": func() { compareCoverage(t, append([]byte("mode: set\n"), many...), good) },
		"coverage, long lines": func() { compareCoverage(t, good, []byte("mode: set\nm/m.go:1.1,32000.1 1 1\n")) },
	} {
		if n := alloc.Bytes(read); n > maxAlloc(1<<10) {
			t.Errorf("%s: %d bytes allocated", name, n)
		} else {
			t.Logf("%s: %d kB", name, n>>10)
		}
	}
}

// FuzzReadJSON checks that what was read can be written and read again, and
// that reports are file names.
func FuzzReadJSON(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "golden", "result.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"schema":"fdebug/v1"}`))
	f.Add([]byte(`{"schema":"fdebug/v2","tests":[{"runs":-1}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		bounded(t, len(data), func() { readAgain(t, data) })
	})
}

func readAgain(t *testing.T, data []byte) {
	d, err := ReadJSON(bytes.NewReader(data))
	if err != nil {
		return
	}
	for _, test := range d.Tests {
		if test.Report != filepath.Base(test.Report) && test.Report != "" {
			t.Fatalf("the report is %q", test.Report)
		}
	}
	written, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadJSON(bytes.NewReader(written))
	if err != nil {
		t.Fatalf("what was read can't be read again: %v", err)
	}
	if rewritten, err := json.Marshal(again); err != nil || !bytes.Equal(written, rewritten) {
		t.Fatalf("read again, it is another: %v\n%s\n%s", err, written, rewritten)
	}
}

// FuzzNotes checks that notes render to nothing active.
func FuzzNotes(f *testing.F) {
	f.Add("# a\n\n![x](javascript:y) <b>z</b> <http://x> [q](data:1)")
	f.Add(evil)
	f.Fuzz(func(t *testing.T, md string) {
		var html string
		bounded(t, len(md), func() { html = string(newViewer(&finding.Result{}).notes(md)) })
		out := strings.ToLower(html)
		for _, bad := range []string{"<script", "<img", "<iframe", "<style", `href="javascript:`, `href="data:`, `href="vbscript:`, `href="//`} {
			if strings.Contains(out, bad) {
				t.Fatalf("%q in %s", bad, out)
			}
		}
	})
}

// FuzzClean checks that no text gets through with a control character.
func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31mb\r\n\x1b]0;x\x07/home/me/x", 4, 4)
	f.Fuzz(func(t *testing.T, s string, head, tail int) {
		var out string
		bounded(t, len(s), func() { out = listing.NewCleaner("/home/me", nil).Cut(s, head&0xff, tail&0xff) })
		if strings.IndexFunc(out, listing.Hidden) >= 0 || strings.Contains(out, "/home/me/") {
			t.Fatalf("%q", out)
		}
	})
}
