// Package recorded keeps run directories of flaky programs as single files, with
// which ranking and reports are tested without running anything: in seconds, and
// without chance.
//
// A file is a zstd-compressed tar of what an analysis reads (runs.jsonl, sites.json,
// meta.json, the traces, the kept sources, and the same of the runs that recorded
// values or had the race detector). Reports are left out: they are made anew.
package recorded

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// maxSize bounds what Unpack writes.
const maxSize = 256 << 20

// Pack writes a run directory.
func Pack(w io.Writer, dir string) error {
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20))
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !wanted(d.Name()) {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		// Times and owners are left out, so that the file depends on the runs alone.
		h := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(data))}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		_, err = t.Write(data)
		return err
	})
	return errors.Join(err, t.Close(), z.Close())
}

// wanted reports whether a file of a run directory is read by an analysis.
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

// Analyze unpacks a file into dir and analyses its runs. Warnings of the analysis
// go to warnf.
func Analyze(file, dir string, warnf func(format string, args ...any)) (*finding.Result, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := Unpack(f, dir); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	an := &analyze.Analyzer{Dir: dir, Warnf: warnf}
	if an.Sites, err = trace.ReadSites(filepath.Join(dir, "sites.json")); err != nil {
		return nil, err
	}
	if err := an.Meta.ReadFile(dir); err != nil {
		return nil, err
	}
	runs, err := runner.Load(dir)
	if err != nil {
		return nil, err
	}
	result, err := an.Result(context.Background(), runs)
	if err != nil {
		return nil, err
	}
	if err := an.AddValues(context.Background(), result); err != nil {
		return nil, err
	}
	an.AddRaces(result)
	an.AddVerdicts(result)
	an.Diagnose(result)
	return result, nil
}
