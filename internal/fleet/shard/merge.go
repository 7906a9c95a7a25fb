package shard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A Merger makes one run directory from the blobs of a set. Set its fields and call Merge.
type Merger struct {
	Set *Set
	Dir string // of the new run
	// Warnings are kept as those of the run.
	Warnings []string

	root string // of the module, as in the paths of the run directory
	kept Kept
}

// First returns the entry that represents the whole: that of the lowest shard.
func (s *Set) First() *Entry { return s.Entries[0] }

// started returns when the first shard began.
func (s *Set) started() time.Time {
	first := s.First().Started
	for _, e := range s.Entries {
		if e.Started.Before(first) {
			first = e.Started
		}
	}
	return first
}

// Key identifies what is merged: the same attempts at the same shards.
func (s *Set) Key() string {
	h := sha256.New()
	for _, e := range s.Entries {
		fmt.Fprintf(h, "%q\n", e.Key)
	}
	return "shards " + hex.EncodeToString(h.Sum(nil)[:16])
}

// Merge writes the run directory: the runs, their traces, the site table and the source. It holds
// one blob at a time.
func (m *Merger) Merge(ctx context.Context, parallel int) error {
	first := m.Set.First()
	m.root = first.Root
	to, err := newRunMerger(m.Dir, runner.Results{Started: m.Set.started(), N: first.N, Controls: first.Controls,
		Parallel: parallel})
	if err != nil {
		return err
	}
	for _, e := range m.Set.Entries {
		if err := m.add(ctx, to, e); err != nil {
			to.Close()
			return fmt.Errorf("%s: %w", e.File, err)
		}
	}
	return to.Close(m.Warnings...)
}

// add adds one blob.
func (m *Merger) add(ctx context.Context, to *runMerger, e *Entry) error {
	b, err := openBlob(e.File)
	if err != nil {
		return err
	}
	defer b.Close()
	if b.Key != e.Key {
		return errors.New("was changed while it was read")
	}
	if err := m.tables(b); err != nil {
		return err
	}
	r, err := b.open(runsFile, maxFile)
	if err != nil {
		return err
	}
	defer r.Close()
	a := &adding{ctx: ctx, m: m, b: b, seen: make(map[runID]bool)}
	if err := to.Add(r, fmt.Sprintf("shard %v: ", e.Part), a.run); err != nil {
		if errors.Is(err, errDamaged) || errors.Is(err, fs.ErrPermission) {
			return err
		}
		return damaged("%s%v", runsFile, err)
	}
	return to.store.Err()
}

// tables copies the site table and the source, from the first blob that has them.
func (m *Merger) tables(b *blob) error {
	name := filepath.Join(m.Dir, sitesFile)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		if err := b.extract(sitesFile, name); err != nil {
			return err
		}
		if _, err := trace.ReadSites(name); err != nil {
			return damaged("%v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(m.Dir, "src")); err == nil {
		return nil
	}
	for _, f := range b.zip.File {
		if !strings.HasPrefix(f.Name, sourceDir) || !strings.HasSuffix(f.Name, sourceEnd) ||
			f.UncompressedSize64 > maxSource {
			continue
		}
		if err := b.extract(f.Name, filepath.Join(m.Dir, filepath.FromSlash(f.Name))); err != nil {
			return err
		}
	}
	return nil
}

// A runID identifies a run of a blob.
type runID struct {
	pkg     string
	control bool
	n       int
}

// An adding is one blob while it is added.
type adding struct {
	ctx  context.Context
	m    *Merger
	b    *blob
	seen map[runID]bool
}

// run adds a run and its traces.
func (a *adding) run(run *runner.Run) error {
	if err := context.Cause(a.ctx); err != nil {
		return err
	}
	id := runID{run.Package, run.Control, run.N}
	most := a.b.N
	if run.Control {
		most = a.b.Controls
	}
	switch {
	case run.N < 1 || run.N > most || !a.b.Part.Has(run.N):
		return damaged("run %d of %q is not of shard %v", run.N, run.Package, a.b.Part)
	case a.seen[id]:
		return damaged("run %d of %q is there twice", run.N, run.Package)
	}
	a.seen[id] = true
	a.move(run)
	if !a.m.kept.has(run) {
		run.Untraced, run.Traces = len(run.Traces) > 0, nil
		return nil
	}
	return a.traces(run)
}

// traces adds the traces of a run.
func (a *adding) traces(run *runner.Run) error {
	for _, name := range run.Traces {
		if !isTrace(name) || !safe(name) {
			return damaged("run %d of %q has a trace %q", run.N, run.Package, name)
		}
		to := filepath.Join(a.m.Dir, filepath.FromSlash(name))
		if a.b.files[name] == nil { // if very many runs fail, a shard keeps fewer than the whole
			run.Untraced, run.Traces = true, nil
			return nil
		}
		if err := a.b.extract(name, to); errors.Is(err, fs.ErrExist) {
			return damaged("two runs have the trace %q", name)
		} else if err != nil {
			return err
		}
		if a.b.Root != a.m.root {
			if err := a.moveTrace(to); err != nil {
				return damaged("%s: %v", name, err)
			}
		}
	}
	return nil
}

// move renames the places of a run as if the module had been in the directory that the first
// shard has.
func (a *adding) move(run *runner.Run) {
	for _, o := range run.Outcomes {
		a.rename(&o.Signature.Frame)
	}
}

// rename renames the file of a frame.
func (a *adding) rename(f *trace.Frame) {
	if rest, ok := strings.CutPrefix(f.File, a.b.Root+"/"); ok && a.b.Root != "" {
		f.File = path.Join(a.m.root, rest)
	}
}

// moveTrace renames the places of a stored trace.
func (a *adding) moveTrace(file string) error {
	t, err := trace.Open(file)
	if err != nil {
		return err
	}
	defer t.Close()
	for _, g := range t.Goroutines {
		a.rename(&g.Spawn)
		a.rename(&g.Entry)
	}
	for _, stack := range t.Stacks {
		for i := range stack {
			a.rename(&stack[i])
		}
	}
	return trace.WriteFile(file, t)
}

// Meta returns the meta.json of the first shard.
func (s *Set) Meta() ([]byte, error) {
	b, err := openBlob(s.First().File)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	data, err := b.read(metaFile, maxHeader)
	return bytes.Clone(data), err
}

// Hosts returns the names of the machines, in order, and the smallest and largest number of
// processors that one of them has.
func (s *Set) Hosts() (names []string, least, most int) {
	for _, e := range s.Entries {
		names = append(names, e.Host)
		if least == 0 || e.CPUs < least {
			least = e.CPUs
		}
		most = max(most, e.CPUs)
	}
	slices.Sort(names)
	return slices.Compact(names), least, most
}
