package report

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/golden"
)

// written writes a result into a directory, and returns the paths of the files.
func written(t *testing.T, dir string, r *finding.Result) (files []string) {
	t.Helper()
	if _, err := WriteDir(t.Context(), dir, r); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files = append(files, filepath.Join(dir, e.Name()))
	}
	return files
}

func TestGolden(t *testing.T) {
	f := newFixture(t)
	r := f.result(f.queue(), f.rng(), f.keys(), f.hang(), f.always())
	r.Notes = "# Seen before\n\nLooks like **issue 12**, see <https://example.com/12>.\n"
	r.Asked, r.NeverRun = 60, []string{"example.com/m/slow"}
	r.Warnings = []string{"Interrupted after 50 of 60 runs of each package."}
	dir := t.TempDir()
	files := written(t, dir, r)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		if filepath.Ext(name) == ".html" { // style and script are files of their own
			data = withoutAssets(t, data)
		}
		golden.File(t, filepath.Join("testdata", "golden", name), string(data))
	}
}

// withoutAssets takes style and script, and the hashes of them, out of a page.
func withoutAssets(t *testing.T, page []byte) []byte {
	s, err := newShell("")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []string{string(s.Style), string(s.Script)} {
		page = bytes.Replace(page, []byte(a), []byte("[asset]"), 1)
	}
	i := bytes.Index(page, []byte("Content-Security-Policy"))
	j := i + bytes.IndexByte(page[i:], '\n')
	return append(page[:i:i], page[j:]...)
}

// TestSameBytes renders twice: nothing may depend on the order of a map.
func TestSameBytes(t *testing.T) {
	f := newFixture(t)
	r := f.result(f.queue(), f.rng())
	render := func() []byte {
		var b bytes.Buffer
		for _, test := range r.Tests {
			if err := testHTML(&b, r, test); err != nil {
				t.Fatal(err)
			}
			if err := Markdown(&b, r, test); err != nil {
				t.Fatal(err)
			}
		}
		if err := JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	first := render()
	for range 5 {
		if !bytes.Equal(first, render()) {
			t.Fatal("the same result gave different bytes")
		}
	}
}

// testHTML writes the report of one test: a single file that asks for nothing.
func testHTML(w io.Writer, r *finding.Result, t *finding.Test) error {
	v := newViewer(r)
	return v.page(w, v.test(t))
}
