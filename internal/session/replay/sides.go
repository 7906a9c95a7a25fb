package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/edit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/internal/text"
)

// Sides are the two sides of an edit: the files that differ, by path from the module's root. A file that only one side
// has is missing on the other.
type Sides struct {
	Root          string // the module's
	Made          bool   // the files here are those after the edit; else those before it
	Before, After edit.Source
	// Others are files that differ and are no source of a build, or not of the module. Builds of both sides have them as
	// they are now.
	Others []string
}

// isSource reports whether a file says what is built.
func isSource(name string) bool {
	base := path.Base(name)
	return strings.HasSuffix(base, ".go") || base == "go.mod" || base == "go.sum"
}

// newSides returns the sides of no edit, in the module around a directory.
func newSides(dir string) (*Sides, error) {
	root, _, err := syntax.ModuleOf(dir)
	return &Sides{Root: root, Before: edit.Source{}, After: edit.Source{}}, err
}

// add notes a file with its content on both sides, nil where it is not.
func (s *Sides) add(name string, before, after []byte) {
	if bytes.Equal(before, after) && (before == nil) == (after == nil) {
		return
	}
	if !isSource(name) {
		s.Others = append(s.Others, name)
		return
	}
	if before != nil {
		s.Before[name] = before
	}
	if after != nil {
		s.After[name] = after
	}
}

// now returns a file of the module as it is, nil if it is not there.
func (s *Sides) now(name string) []byte {
	data, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	return data
}

// replaced returns the files of an overlay that makes one side the other; nil removes a file.
func replaced(from, to edit.Source) map[string][]byte {
	files := make(map[string][]byte)
	for name := range from {
		files[name] = nil
	}
	for name, text := range to {
		files[name] = text
	}
	return files
}

// SidesSince returns how the module differs from a revision in git, uncommitted changes included.
func SidesSince(ctx context.Context, dir, rev string) (*Sides, error) {
	s, err := newSides(dir)
	if err != nil {
		return nil, err
	}
	r := &session.Revision{Dir: s.Root, Name: rev, Flag: "-since"}
	_, differ, added, err := r.Differing(ctx)
	if err != nil {
		return nil, err
	}
	s.Made = true
	prefix, known := gitPrefix(ctx, s.Root), len(differ)
	for i, file := range append(differ, added...) {
		name, below := strings.CutPrefix(file, prefix)
		switch {
		case below:
			before, err := r.Git(ctx, "show", rev+":"+file)
			if err != nil {
				before = nil
			}
			s.add(name, before, s.now(name))
		case i < known:
			s.Others = append(s.Others, file)
		}
	}
	return s, nil
}

// git runs git in the directory of the files, and returns what it prints.
func (s *Sides) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = s.Root
	out, err := cmd.Output()
	if is := (*exec.ExitError)(nil); errors.As(err, &is) {
		return nil, fmt.Errorf("git %s: %s", args[0], text.FirstLine(is.Stderr))
	}
	return out, err
}

// SidesPatched returns the files that a patch changes, as git apply and patch -p1 understand it. It writes only to work, a
// temporary directory.
func SidesPatched(ctx context.Context, dir, work, patch string) (*Sides, error) {
	s, err := newSides(dir)
	if err != nil {
		return nil, err
	}
	patch, err = filepath.Abs(patch)
	if err != nil {
		return nil, err
	}
	copied := &Sides{Root: work}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, err
	}
	cut := gitPrefix(ctx, s.Root)
	stat, err := copied.git(ctx, "apply", "--numstat", "-z", patch)
	if err != nil {
		return nil, fmt.Errorf("-patch: %w", err)
	}
	var names []string
	for line := range strings.SplitSeq(strings.TrimRight(string(stat), "\x00"), "\x00") {
		fields := strings.SplitN(line, "\t", 3)
		name, below := strings.CutPrefix(fields[len(fields)-1], cut)
		if !below {
			return nil, fmt.Errorf("-patch: %s is not in the module", fields[len(fields)-1])
		}
		names = append(names, name)
		if err := copied.write(name, s.now(name)); err != nil {
			return nil, err
		}
	}
	strip := 1 + strings.Count(cut, "/")
	if _, err := copied.git(ctx, "apply", fmt.Sprintf("-p%d", strip), patch); err != nil {
		return nil, advice.With(fmt.Errorf("-patch: %w", err), "it must apply to the files as they are now")
	}
	for _, name := range names {
		s.add(name, s.now(name), copied.now(name))
	}
	return s, nil
}

// write makes a file, if it has content.
func (s *Sides) write(name string, data []byte) error {
	if data == nil {
		return nil
	}
	file := filepath.Join(s.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// SidesKept returns how the module differs from the files that a run has kept. The error is [fs.ErrNotExist] if it has
// none.
func SidesKept(dir, run string) (*Sides, error) {
	s, err := newSides(dir)
	if err != nil {
		return nil, err
	}
	s.Made = true
	src := filepath.Join(run, "src")
	seen := make(map[string]bool) // directories
	err = filepath.WalkDir(src, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(src, strings.TrimSuffix(file, analyze.KeptSuffix))
		if err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		name := filepath.ToSlash(rel)
		seen[path.Dir(name)] = true
		s.add(name, data, s.now(name))
		return err
	})
	for dir := range seen {
		s.addNew(src, dir)
	}
	return s, err
}

// addNew adds the files of a directory that were not kept.
func (s *Sides) addNew(src, dir string) {
	for _, file := range store.Glob(filepath.Join(s.Root, filepath.FromSlash(dir)), "*.go") {
		name := path.Join(dir, filepath.Base(file))
		if _, err := os.Stat(filepath.Join(src, filepath.FromSlash(name)+analyze.KeptSuffix)); err != nil {
			s.add(name, nil, s.now(name))
		}
	}
}
