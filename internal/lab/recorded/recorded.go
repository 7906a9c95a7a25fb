// Package recorded keeps run directories of flaky programs as single files. They allow tests of
// ranking and reports that run nothing, take seconds and do not depend on chance.
//
// A file is a zstd-compressed tar of what an analysis reads: runs.jsonl, sites.json, meta.json,
// the traces and the kept sources. It has the same for the runs that recorded values or had the
// race detector. It has no reports, because they are generated.
package recorded

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
)

// maxSize limits what Unpack writes.
const maxSize = 256 << 20

// pack writes a run directory.
func pack(w io.Writer, dir string) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = Files(dir, func(path, name string) error {
		if !wanted(filepath.Base(name)) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		// Times and owners are left out, so that the file depends only on the runs.
		h := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(data))}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err = t.Write(data)
		return err
	})
	return errors.Join(err, t.Close(), z.Close())
}

// Files calls visit with each file below a directory and its path relative to that, until visit
// returns an error.
func Files(dir string, visit func(path, rel string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return visit(path, rel)
	})
}

// PackFile writes a run directory to a file.
func PackFile(file, dir string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := errors.Join(pack(f, dir), f.Close()); err != nil {
		os.Remove(file)
		return err
	}
	return nil
}

// Copy writes what an analysis reads of a run directory into another.
func Copy(to, dir string) error {
	return Files(dir, func(path, name string) error {
		if !wanted(filepath.Base(name)) {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return write(f, filepath.Join(to, name))
	})
}

// KeepModule puts the source of a module into a run directory, as package analyze keeps what
// reports show: go.mod, and what is below dir or in internal packages; everything for "...".
func KeepModule(module, dir, run string) error {
	return Files(module, func(name, rel string) error {
		slash := filepath.ToSlash(rel)
		if slash != "go.mod" && (filepath.Ext(name) != ".go" ||
			dir != "..." && !strings.HasPrefix(slash, dir+"/") && !strings.HasPrefix(slash, "internal/")) {
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return write(f, filepath.Join(run, "src", rel+analyze.KeptSuffix))
	})
}

// wanted reports whether an analysis reads a file of a run directory.
func wanted(name string) bool {
	switch filepath.Ext(name) {
	case ".html", ".md":
		return false
	}
	return name != "result.json" && name != "lock" && !strings.HasPrefix(name, ".")
}

// Unpack writes a file's run directory into dir.
func Unpack(r io.Reader, dir string) error {
	z, err := zstd.NewReader(r, zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return err
	}
	defer z.Close()
	t := tar.NewReader(io.LimitReader(z, maxSize))
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) || h.Typeflag != tar.TypeReg {
			return fmt.Errorf("recorded: %q is no file of a run directory", h.Name)
		}
		if err := write(t, filepath.Join(dir, filepath.FromSlash(h.Name))); err != nil {
			return err
		}
	}
}

func write(r io.Reader, name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// A Recording is an unpacked file.
type Recording struct {
	Result *finding.Result // the analysis of the runs

	an *analyze.Analyzer
}

// An Opener opens recordings. They import the standard library only, so it asks the go command
// where its export data is for all of them together.
type Opener struct {
	mu    sync.Mutex
	files map[string]string // with export data, by import path
}

// exported returns the files with the export data of packages. It keeps those of what they import
// too, because most of that is asked for next.
func (o *Opener) exported(ctx context.Context, paths []string) (map[string]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.ContainsFunc(paths, func(p string) bool { return o.files[p] == "" }) {
		return o.files, nil
	}
	args := append([]string{"list", "-e", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)
	out, err := exec.CommandContext(ctx, "go", args...).Output()
	files := maps.Clone(o.files) // the caller before reads the other
	if files == nil {
		files = make(map[string]string)
	}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	o.files = files
	return files, err
}

// Open unpacks a file into dir, which is empty, and compares its runs. It calls warnf for
// warnings.
func (o *Opener) Open(file, dir string, warnf func(format string, args ...any)) (*Recording, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &Recording{an: &analyze.Analyzer{
		Dir: filepath.Join(dir, "run"), Module: Module(dir), Exported: o.exported, Warnf: warnf,
	}}
	err = Unpack(f, r.an.Dir)
	if err == nil {
		err = restore(filepath.Join(r.an.Dir, "src"), r.an.Module)
	}
	if err == nil {
		r.Result, _, err = r.an.Read(context.Background())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// Module is where Open puts the source that the runs were made with.
func Module(dir string) string { return filepath.Join(dir, "module") }

// restore writes the source files that are kept in dir into a module, because types are known
// only for files that the go command finds.
func restore(dir, module string) error {
	return Files(dir, func(path, rel string) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return write(f, filepath.Join(module, strings.TrimSuffix(rel, analyze.KeptSuffix)))
	})
}

// Diagnose looks for the causes of the failures again, without the named rules of package
// diagnose.
func (r *Recording) Diagnose(without ...string) {
	r.an.Without = without
	r.an.Conclude(context.Background(), r.Result)
}
