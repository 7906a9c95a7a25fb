package shard

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/alloc"
	"github.com/fdebug/fdebug/internal/runner"
)

const (
	begin = `{"kind":"begin","begin":{"version":1,"started":"2026-05-06T07:08:09Z"}}` + "\n"
	pkg   = begin + `{"kind":"package","package":{"import_path":"m"}}` + "\n"
	end   = `{"kind":"end","end":{"elapsed_ns":5}}` + "\n"
)

// blobFiles are the files of a small blob of shard 1/1 with one run.
func blobFiles() map[string]any {
	h := sampleHeader(Part{1, 1}, 5, 2)
	h.Version = version
	sites, _ := json.Marshal(sampleSites())
	return map[string]any{
		headerFile: h, "meta.json": "{}", sitesFile: string(sites), "src/a/x_test.go.txt": "package a",
		runsFile:              pkg + `{"kind":"run","run":{"package":"m","n":1,"traces":["traces/m/0001.trace"]}}` + "\n" + end,
		"traces/m/0001.trace": "trace",
	}
}

// TestHostile has blobs that no shard has written.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	run := func(text string) func(map[string]any) {
		return func(f map[string]any) { f[runsFile] = pkg + `{"kind":"run","run":` + text + "}\n" + end }
	}
	header := func(change func(*Header)) func(map[string]any) {
		return func(f map[string]any) { change(f[headerFile].(*Header)) }
	}
	for _, c := range []struct {
		name   string
		change func(map[string]any)
		want   string // of the error; "" for none
	}{
		{"as it is", func(map[string]any) {}, ""},
		{"escapes", func(f map[string]any) { f["../evil"] = "x" }, "a file named"},
		{"escapes later", func(f map[string]any) { f["src/../../evil.txt"] = "x" }, "a file named"},
		{"absolute", func(f map[string]any) { f["/tmp/evil"] = "x" }, "a file named"},
		{"of Windows", func(f map[string]any) { f[`src\..\..\evil.txt`] = "x" }, "a file named"},
		{"drive", func(f map[string]any) { f["C:evil.txt"] = "x" }, "a file named"},
		{"stream", func(f map[string]any) { f["src/a.txt:evil"] = "x" }, "a file named"},
		{"not clean", func(f map[string]any) { f["hunt/../log.jsonl"] = "x" }, "a file named"},
		{"here", func(f map[string]any) { f["hunt/./log.jsonl"] = "x" }, "a file named"},
		{"no header", func(f map[string]any) { delete(f, headerFile) }, "not a blob"},
		{"no version", header(func(h *Header) { h.Version = 0 }), "not a blob"},
		{"part", header(func(h *Header) { h.Part.I = 7 }), "is not a part"},
		{"parts", header(func(h *Header) { h.Part = Part{1, 1 << 40} }), "is not a part"},
		{"numbers", header(func(h *Header) { h.N = -1 }), "make no sense"},
		{"attempt", header(func(h *Header) { h.Attempt = 0 }), "make no sense"},
		{"facts", header(func(h *Header) { h.Facts = make([]Fact, 1000) }), "1000 facts"},
		{"notes", header(func(h *Header) { h.Notes = make([]string, maxNotes+1) }), "1001 notes"},
		{"long fact", header(func(h *Header) { h.Facts[0].Value = strings.Repeat("x", 1<<17) }), "a fact of"},
		{"long header", func(f map[string]any) {
			f[headerFile] = `{"fdebug_shard":1,"host":"` + strings.Repeat("x", 5<<20) + `"}`
		}, "bytes"},
		{"no sites", func(f map[string]any) { f[sitesFile] = "{}" }, "damaged"},
		{"no table", func(f map[string]any) { delete(f, sitesFile) }, "sites.json is missing"},
		{"no runs", func(f map[string]any) { delete(f, runsFile) }, "runs.jsonl is missing"},
		{"empty runs", func(f map[string]any) { f[runsFile] = "" }, "is empty"},
		{"newer runs", func(f map[string]any) { f[runsFile] = strings.Replace(pkg, `"version":1`, `"version":9`, 1) }, "newer"},
		{"other number", run(`{"package":"m","n":6}`), "run 6 of \"m\" is not of shard 1/1"},
		{"no number", run(`{"package":"m","n":0}`), "is not of shard"},
		{"control", run(`{"package":"m","n":3,"control":true}`), "is not of shard"},
		{"package", run(`{"package":"other","n":1}`), "not in the file"},
		{"outcome", run(`{"package":"m","n":1,"outcomes":[null]}`), "makes no sense"},
		{"trace elsewhere", run(`{"package":"m","n":1,"traces":["../../x"]}`), "not in the run directory"},
		{"trace is no trace", run(`{"package":"m","n":1,"traces":["src/a/x_test.go.txt"]}`), "has a trace"},
		{"trace is the header", run(`{"package":"m","n":1,"traces":["traces/../shard.json"]}`), "has a trace"},
		{"trace is missing", run(`{"package":"m","n":1,"traces":["traces/m/0002.trace"]}`), ""},
		{"one trace twice", run(`{"package":"m","n":1,"traces":["traces/m/0001.trace","traces/m/0001.trace"]}`), "two runs have the trace"},
		{"twice", func(f map[string]any) {
			line := `{"kind":"run","run":{"package":"m","n":1}}` + "\n"
			f[runsFile] = pkg + line + line + end
		}, "is there twice"},
		{"source is a directory", func(f map[string]any) { f["src/a.txt/b.txt"], f["src/a.txt"] = "x", "y" }, "exist directory"},
		{"long line", func(f map[string]any) { f[runsFile] = pkg + strings.Repeat(" ", 65<<20) }, "a line without an end"},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "blob"+suffix)
		files := blobFiles()
		c.change(files)
		writeZip(t, file, files)
		err := mergeFile(file, filepath.Join(dir, "to", "run"))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) && !strings.Contains(c.want, "directory") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		contained(t, c.name, dir)
	}
}

// mergeFile merges one blob into a new directory.
func mergeFile(file, dir string) error {
	s := Choose([]string{file})
	if len(s.Entries) == 0 {
		return errors.New(s.Problems[0].What)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if _, err := s.Meta(); err != nil {
		return err
	}
	if err := (&Merger{Set: s, Dir: dir}).Merge(context.Background(), 1); err != nil {
		return err
	}
	_, err := runner.Load(dir)
	return err
}

// contained checks that nothing was written outside the blob and to/run.
func contained(t *testing.T, name, dir string) {
	t.Helper()
	for _, sub := range []string{"", "to"} {
		entries, _ := os.ReadDir(filepath.Join(dir, sub))
		for _, e := range entries {
			if n := e.Name(); n != "blob"+suffix && n != "to" && n != "run" {
				t.Errorf("%s: wrote %s", name, n)
			}
		}
	}
}

// TestDamaged cuts a blob and changes its bytes. That is detected, or makes no difference.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "whole"+suffix)
	writeZip(t, file, blobFiles())
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 5 {
		write(t, file, string(whole[:n]))
		if err := mergeFile(file, filepath.Join(t.TempDir(), "run")); err == nil {
			t.Fatalf("%d of %d bytes were merged", n, len(whole))
		}
	}
}

// TestTwice has two files with one name. A reader might see either.
func TestTwice(t *testing.T) {
	var b bytes.Buffer
	w := &writer{zip: zip.NewWriter(&b)}
	for range 2 {
		w.json(headerFile, blobFiles()[headerFile])
	}
	if err := w.zip.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "blob")
	write(t, file, b.String())
	if _, err := openBlob(file); !errors.Is(err, errDamaged) {
		t.Errorf("error %v", err)
	}
}

// maxAlloc limits what merging a blob of n bytes, packed and unpacked, may allocate.
func maxAlloc(n int) uint64 { return 32<<20 + 4000*uint64(n) }

// FuzzBlob merges blobs with any content. Nothing is written elsewhere, and the result can be
// loaded.
func FuzzBlob(f *testing.F) {
	seed := func(files map[string]any) {
		header, _ := json.Marshal(files[headerFile])
		f.Add(header, []byte(files[sitesFile].(string)), []byte(files[runsFile].(string)), "traces/m/0001.trace", []byte("trace"))
	}
	seed(blobFiles())
	many := blobFiles()
	many[headerFile].(*Header).Part = Part{2, 3}
	many[runsFile] = pkg + `{"kind":"run","run":{"package":"m","n":2,"exit":{"code":1},"outcomes":[{"test":"T","status":"fail","signature":{"test":"T","frame":{"File":"/src/m/x.go"},"message":"x"}}]}}` + "\n" +
		`{"kind":"signature","signature":{"package":"m","n":2,"test":"T","message":"y","signature":{"test":"T","message":"y"}}}` + "\n" +
		`{"kind":"package","package":{"import_path":"m","unfinished":{"n":5,"wall_ns":7},"warnings":["w"],"error":{"text":"e"}}}` + "\n" + end
	seed(many)
	f.Add([]byte(`{"fdebug_shard":1,"part":{"I":1,"Of":1},"attempt":1,"n":1}`), []byte("{}"), []byte(begin), "../x", []byte(nil))
	f.Fuzz(func(t *testing.T, header, sites, runs []byte, name string, content []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, "blob"+suffix)
		out, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		w := &writer{zip: zip.NewWriter(out)}
		for _, x := range []struct {
			name string
			data []byte
		}{{headerFile, header}, {"meta.json", []byte("{}")}, {sitesFile, sites}, {runsFile, runs}, {name, content}} {
			if x.name != "" {
				w.add(x.name, zip.Deflate, io.LimitReader(bytes.NewReader(x.data), 1<<20))
			}
		}
		if errors.Join(w.err, w.zip.Close(), out.Close()) != nil {
			t.Skip("not an archive")
		}
		n := len(header) + len(sites) + len(runs) + len(name) + len(content)
		alloc.Check(t, n, maxAlloc(n), func() { err = mergeFile(file, filepath.Join(dir, "to", "run")) })
		contained(t, "fuzzed", dir)
		if _, lerr := runner.Load(filepath.Join(dir, "to", "run")); err == nil && lerr != nil {
			t.Errorf("merged, and can't be loaded: %v", lerr)
		}
	})
}
