package shard

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Files of a blob, named as in a run directory.
const (
	headerFile = "shard.json"
	metaFile   = "meta.json"
	runsFile   = "runs.jsonl"
	sitesFile  = "sites.json"
	tracesDir  = "traces/"
	sourceDir  = "src/"
	sourceEnd  = ".txt" // so that no go command takes a source file for part of a package

)

// maxSource is the size limit for source files in a blob.
const maxSource = 32 << 20

// Traced is the number of runs of a package whose traces are always kept. Of later runs, those
// that failed are kept, up to as many again. More would show nothing new, and all must be open at
// once to be compared.
const Traced = 2000

// A Kept decides whose traces are kept, for the runs of one whole or of one part of it.
type Kept struct{ late map[string]int }

// has reports whether the traces of a run are kept. Call it once for each run.
func (k *Kept) has(run *runner.Run) bool {
	if run.Control || run.N <= Traced {
		return true
	}
	if !run.Failed() || k.late[run.Package] == Traced {
		return false
	}
	if k.late == nil {
		k.late = make(map[string]int)
	}
	k.late[run.Package]++
	return true
}

// Write writes the blob of a run directory to a file. It writes to another file first, so there
// is never half a blob. source returns the module's source by the paths in the site table.
func Write(file string, h *Header, dir string, results *runner.Results, sites *trace.Sites,
	source func(path string) ([]byte, error)) error {
	h.Version = version
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	aside, err := os.OpenFile(filepath.Join(filepath.Dir(file), ".fdebug-"+h.Key+".tmp"),
		os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(aside.Name())
	w := &writer{zip: zip.NewWriter(aside)}
	w.json(headerFile, h)
	w.file(dir, metaFile, zip.Deflate)
	w.file(dir, sitesFile, zip.Deflate)
	w.file(dir, runsFile, zip.Deflate)
	if h.Failed > 0 {
		w.sources(sites, source)
	}
	w.traces(dir, results)
	if err = errors.Join(w.err, w.zip.Close(), aside.Close()); err != nil {
		return fmt.Errorf("writing the blob: %w", err)
	}
	return os.Rename(aside.Name(), file)
}

// A writer fills an archive. After an error it does nothing.
type writer struct {
	zip *zip.Writer
	err error
}

// add adds a file. It leaves out times, so that blobs of the same runs are equal.
func (w *writer) add(name string, method uint16, from io.Reader) {
	if w.err != nil {
		return
	}
	to, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err == nil {
		_, err = io.Copy(to, from)
	}
	w.err = err
}

func (w *writer) json(name string, v any) {
	data, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		w.err = err
		return
	}
	w.add(name, zip.Deflate, bytes.NewReader(append(data, '\n')))
}

// file adds a file of a run directory.
func (w *writer) file(dir, name string, method uint16) {
	if w.err != nil {
		return
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		w.err = err
		return
	}
	defer f.Close()
	w.add(name, method, f)
}

// sources adds the instrumented files, for reports to show. Those of modules outside the root
// have no place in a run directory.
func (w *writer) sources(sites *trace.Sites, read func(path string) ([]byte, error)) {
	for _, f := range sites.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			continue
		}
		if data, err := read(f.Path); err == nil && len(data) <= maxSource {
			w.add(sourceDir+f.Path+sourceEnd, zip.Deflate, bytes.NewReader(data))
		}
	}
}

// traces adds the traces that are kept.
func (w *writer) traces(dir string, results *runner.Results) {
	var kept Kept
	for _, p := range results.Packages {
		for _, run := range p.Runs {
			if !kept.has(run) {
				continue
			}
			for _, name := range run.Traces {
				if w.file(dir, name, zip.Store); errors.Is(w.err, fs.ErrNotExist) {
					w.err = nil // it was lost, and a warning of the run says so
				}
			}
		}
	}
}

// isTrace reports whether a file of a blob may be a trace.
func isTrace(name string) bool {
	return strings.HasPrefix(name, tracesDir) && path.Clean(name) == name
}
