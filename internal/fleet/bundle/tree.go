package bundle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/store"
)

// A Tree says which of the user's files go into a bundle.
type Tree struct {
	Modules  []string // directories of the user's modules, the main one first; absolute, as all paths
	Packages []string // directories of the packages
	Sources  []string // files that reports show
	Include  []string // patterns of additional files, relative to Modules[0]
	Skip     []string // names of directories, and paths, that stay out
}

// ErrNoMatch is returned for a pattern that no file matches.
var ErrNoMatch = errors.New("no file matches")

// A Picked is the result of choosing the files of a [Tree].
type Picked struct {
	Base  string   // the directory above all of it
	files []string // absolute, in order
	Notes []string
}

// Pick chooses the files: the files of a module that git tracks or, without git, all below its
// packages; and in any case the sources and the included files.
func (t *Tree) Pick(ctx context.Context) (*Picked, error) {
	files := make(map[string]bool)
	for _, dir := range t.Modules {
		tracked := gitFiles(ctx, dir)
		for _, f := range tracked {
			files[f] = true
		}
		if len(tracked) > 0 {
			continue
		}
		for _, name := range []string{"go.mod", "go.sum"} {
			files[filepath.Join(dir, name)] = true
		}
		for _, pkg := range t.Packages {
			if below(pkg, dir) {
				t.walk(pkg, files)
			}
		}
	}
	for _, f := range t.Sources {
		files[f] = true
	}
	if err := t.include(files); err != nil {
		return nil, err
	}
	for f := range files {
		if info, err := os.Lstat(f); err != nil || !info.Mode().IsRegular() && info.Mode().Type() != fs.ModeSymlink ||
			slices.Contains(t.Skip, f) {
			delete(files, f)
		}
	}
	list := slices.Sorted(maps.Keys(files))
	dirs := slices.Concat(t.Modules, t.Packages)
	for _, f := range list {
		dirs = append(dirs, filepath.Dir(f))
	}
	return &Picked{Base: common(dirs), files: list, Notes: t.untracked(files)}, nil
}

// gitFiles returns the files below a directory that git tracks, or nil without git.
func gitFiles(ctx context.Context, dir string) []string {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--recurse-submodules", "--", ".")
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	var list []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" {
			list = append(list, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return list
}

// walk adds all files below a directory.
func (t *Tree) walk(dir string, files map[string]bool) {
	filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // what can't be read here can't be read by the tests either
		case e.IsDir() && slices.Contains(t.Skip, e.Name()):
			return fs.SkipDir
		case !e.IsDir():
			files[name] = true
		}
		return nil
	})
}

// include adds what the patterns match. For a directory it adds all files below.
func (t *Tree) include(files map[string]bool) error {
	for _, pattern := range t.Include {
		list, err := t.matching(pattern)
		if err != nil {
			return fmt.Errorf("%s: %w", pattern, err)
		}
		if len(list) == 0 {
			return fmt.Errorf("%w %s", ErrNoMatch, pattern)
		}
		for _, name := range list {
			t.walk(name, files)
		}
	}
	return nil
}

// matching returns the files that a pattern of the user matches. The module's directory is not a part of it.
func (t *Tree) matching(pattern string) ([]string, error) {
	if filepath.IsAbs(pattern) {
		return filepath.Glob(pattern)
	}
	dir, rel := t.Modules[0], path.Clean(filepath.ToSlash(pattern))
	for rel == ".." || strings.HasPrefix(rel, "../") {
		dir, rel = filepath.Dir(dir), path.Clean(strings.TrimPrefix(rel[2:], "/"))
	}
	_, err := path.Match(rel, "")
	return store.Glob(dir, rel), err
}

// untracked says which files in testdata directories are left out.
func (t *Tree) untracked(files map[string]bool) (notes []string) {
	for _, pkg := range t.Packages {
		there := make(map[string]bool)
		t.walk(filepath.Join(pkg, "testdata"), there)
		maps.DeleteFunc(there, func(name string, _ bool) bool { return files[name] })
		if len(there) == 0 {
			continue
		}
		first := slices.Min(slices.Collect(maps.Keys(there)))
		if rel, err := filepath.Rel(t.Modules[0], first); err == nil {
			first = filepath.ToSlash(rel)
		}
		notes = append(notes, fmt.Sprintf("git does not track %s%s: -include takes what tests need", first,
			more(len(there)-1)))
	}
	return notes
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more there", n)
}

// AddTree adds files below a base to the bundle. It returns the reasons for files that are left out.
func (w *Writer) AddTree(p *Picked) (left []string, err error) {
	behind := func(name, why string) { left = append(left, fmt.Sprintf("%q stays behind: %s", name, why)) }
	for _, file := range p.files {
		rel, err := filepath.Rel(p.Base, file)
		if err != nil {
			return nil, err
		}
		name := path.Join(TreeDir, filepath.ToSlash(rel))
		info, err := os.Lstat(file)
		if err != nil {
			return nil, err
		}
		switch {
		case !local(name):
			behind(rel, "not every system can have a file of that name")
			continue
		case info.Size() > maxFile:
			behind(rel, fmt.Sprintf("it is larger than %d GB", maxFile>>30))
			continue
		case info.Mode().Type() == fs.ModeSymlink:
			if target, err := os.Readlink(file); err != nil || !w.addLink(name, target) {
				behind(rel, "the link leads out of what is bundled")
			}
			continue
		}
		if err := w.Add(name, file, info.Mode()&0o100 != 0); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// below reports whether a path is dir or lies below it.
func below(name, dir string) bool {
	return name == dir || strings.HasPrefix(name,
		strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// common returns the deepest directory that contains all dirs.
func common(dirs []string) string {
	base := dirs[0]
	for _, d := range dirs {
		for !below(d, base) && base != filepath.Dir(base) {
			base = filepath.Dir(base)
		}
	}
	return base
}
