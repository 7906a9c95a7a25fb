package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// TestSmallHostileFiles has files of about 1 kB that were made to cost much.
func TestSmallHostileFiles(t *testing.T) {
	nested := bytes.Repeat([]byte("["), 1000)
	deep := append([]byte(`{"schema":"fdebug/v1","tests":`), nested...)
	for name, read := range map[string]func(){
		"result.json, nested": func() { ReadJSON(bytes.NewReader(deep)) },
		"result.json, exponents": func() {
			ReadJSON(bytes.NewReader([]byte(`{"schema":"fdebug/v1","tests":[{"runs":1e18,"passed":1e18}]}`)))
		},
		"notes, quotes":   func() { newViewer(&finding.Result{}).notes(string(bytes.Repeat([]byte(">"), 1000))) },
		"notes, brackets": func() { newViewer(&finding.Result{}).notes(string(nested)) },
		"notes, lists":    func() { newViewer(&finding.Result{}).notes(string(bytes.Repeat([]byte("* "), 500))) },
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
