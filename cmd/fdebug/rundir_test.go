package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/lab/alloc"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/stored"
)

// A runDir is what fdebug reads from a run directory. The traces are raw ones without their
// headers: compressed ones have a checksum, so all damage would end there.
type runDir struct {
	runs, meta, sites, values []byte
	source                    []byte // of the only file
	pass, fail                []byte // records of the traces of odd and of even runs
}

// maxRunDir limits what writing reports for a damaged run directory of n bytes may allocate,
// including what is free again: three full pages of some 70 MB each, and the rest in proportion.
func maxRunDir(n int) uint64 { return 256<<20 + 4000*uint64(n) }

// FuzzRunDir writes the reports for a run directory with any content.
func FuzzRunDir(f *testing.F) {
	d := sampleRunDir(f)
	f.Add(d.runs, d.meta, d.sites, d.values, d.source, d.pass, d.fail)
	f.Add(d.runs, d.meta, d.sites, []byte("[]"), []byte(nil), d.pass, d.pass)
	f.Add(d.runs, d.meta, d.sites, []byte(nil), []byte("package m\n"), d.fail[:len(d.fail)/2], d.fail)
	f.Fuzz(func(t *testing.T, runs, meta, sites, values, source, pass, fail []byte) {
		d := runDir{runs, meta, sites, values, source, pass, fail}
		dir := d.write(t)
		if got := alloc.Bytes(func() { reportOn(dir) }); got > maxRunDir(d.size()) {
			t.Errorf("%d bytes allocated for a directory of %d", got, d.size())
		}
	})
}

// TestRunDir checks that the reports of the sample are written, so that fuzzing it gets that far.
func TestRunDir(t *testing.T) {
	dir := sampleRunDir(t).write(t)
	code, err := reportOn(dir)
	if code != exit.Flaky || err != nil {
		t.Fatalf("exit code %d, error %v", code, err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "m.TestX.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 of 4 runs failed", "if n := <-c; n%2 == 1", "n%2"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
}

// TestRunDirDamaged has directories that are damaged in expensive ways. The first file has no
// end.
func TestRunDirDamaged(t *testing.T) {
	for name, change := range map[string]func(*runDir){
		"device": func(d *runDir) {
			d.source = nil
			d.sites = bytes.ReplaceAll(d.sites, []byte("/home/gopher/proj/m"), []byte("/dev"))
			d.sites = bytes.ReplaceAll(d.sites, []byte(`"path":"m_test.go"`), []byte(`"path":"zero"`))
		},
		"elsewhere": func(d *runDir) {
			d.sites = bytes.ReplaceAll(d.sites, []byte(`"path":"m_test.go"`), []byte(`"path":"../../../../../../../../dev/zero"`))
		},
		"long block": func(d *runDir) {
			d.sites = bytes.ReplaceAll(d.sites, []byte("13,24,1"), []byte("1000000000,24,1000000000"))
		},
		"long function": func(d *runDir) {
			d.sites = bytes.ReplaceAll(d.sites, []byte("0,8,16"), []byte("0,1,1000000000"))
		},
		"no source": func(d *runDir) { d.source = nil },
		"values":    func(d *runDir) { d.values = []byte("[{") },
	} {
		d := sampleRunDir(t)
		change(d)
		dir := d.write(t)
		if name == "device" || name == "elsewhere" {
			os.RemoveAll(filepath.Join(dir, "src"))
		}
		code, err := 0, error(nil)
		got := alloc.Bytes(func() { code, err = reportOn(dir) })
		if code != exit.Flaky || err != nil || got > maxRunDir(d.size()) {
			t.Errorf("%s: exit code %d, error %v, %d bytes allocated", name, code, err, got)
		}
	}
}

// sampleRunDir is a run of testdata/rundir/source.txt, four times.
func sampleRunDir(t testing.TB) *runDir {
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", "rundir", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	return &runDir{
		read("runs.jsonl"), read("meta.json"), read("sites.json"), read("values.json"),
		read("source.txt"), read("pass.records"), read("fail.records"),
	}
}

func (d *runDir) size() int {
	return len(d.runs) + len(d.meta) + len(d.sites) + len(d.values) + len(d.source) + len(d.pass) + len(d.fail)
}

// write makes the directory. Its second build's runs are those of the first.
func (d *runDir) write(t *testing.T) string {
	dir := t.TempDir()
	files := map[string][]byte{
		"runs.jsonl": d.runs, "meta.json": d.meta, "sites.json": d.sites, "src/m_test.go" + analyze.KeptSuffix: d.source,
		"values/sites.json": d.values, "values/runs.jsonl": d.runs,
	}
	for _, sub := range []string{"", "values/"} {
		for i, records := range [][]byte{d.pass, d.fail, d.pass, d.fail} {
			files[sub+"traces/001-m/000"+string(rune('1'+i))+".trace"] = rawTrace(records)
		}
	}
	for name, data := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rawTrace puts a header before records: see package trace.
func rawTrace(records []byte) []byte {
	b := make([]byte, 4096, 4096+len(records))
	copy(b, "fdbgraw1")
	binary.LittleEndian.PutUint64(b[8:], uint64(4096+len(records)))
	binary.LittleEndian.PutUint64(b[24:], 1_000_000)
	binary.LittleEndian.PutUint64(b[40:], 1)
	return append(b, records...)
}

func reportOn(dir string) (int, error) {
	a := &app{Console: &session.Console{Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }}}
	return stored.Report(context.Background(), a.screen(), dir, "")
}
