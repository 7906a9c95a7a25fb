package instrument

import (
	"fmt"
	"go/build"
	"go/build/constraint"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/syntax"
)

// An ExcludedError says that build constraints exclude all test files of a directory.
type ExcludedError struct {
	Dir  string // as the user would name it
	File string // the first of its test files
	Tag  string // a tag with which that file is built, "" if no single one suffices
	More int    // the number of other such directories
}

func (e *ExcludedError) Error() string {
	more := ""
	if e.More == 1 {
		more = ", and of 1 more directory"
	} else if e.More > 1 {
		more = fmt.Sprintf(", and of %d more directories", e.More)
	}
	return fmt.Sprintf("build constraints exclude all test files of %s (%s)%s", e.Dir, e.File, more)
}

// excluded looks for directories that match a pattern and whose test files are all excluded by
// build constraints. For a pattern with "...", go list does not report them.
func (cfg *Config) excluded(tc *Toolchain, pattern string) (list []*ExcludedError) {
	root, all := strings.CutSuffix(filepath.ToSlash(pattern), "...")
	if !build.IsLocalImport(strings.TrimSuffix(root, "/")) && !filepath.IsAbs(root) {
		return nil // an import path
	}
	root = cfg.path(filepath.FromSlash(root))
	filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return nil
		case dir != root && (!all || syntax.Apart(dir)):
			return fs.SkipDir
		}
		if x := cfg.excludedIn(tc, dir); x != nil {
			list = append(list, x)
		}
		return nil
	})
	return list
}

// excludedIn checks the test files of one directory.
func (cfg *Config) excludedIn(tc *Toolchain, dir string) *ExcludedError {
	files := store.Glob(dir, "*_test.go")
	ctxt := build.Default
	ctxt.GOOS, ctxt.GOARCH, ctxt.BuildTags = tc.GOOS, tc.GOARCH, cfg.tags(tc)
	for _, f := range files {
		if match, err := ctxt.MatchFile(dir, filepath.Base(f)); err != nil || match {
			return nil
		}
	}
	if len(files) == 0 {
		return nil
	}
	x := &ExcludedError{Dir: dir, File: filepath.Base(files[0])}
	if rel, err := filepath.Rel(cfg.Dir, dir); err == nil {
		x.Dir = rel
	}
	for _, tag := range tagsOf(files[0]) {
		with := ctxt
		with.BuildTags = append(slices.Clone(ctxt.BuildTags), tag)
		if match, _ := with.MatchFile(dir, x.File); match {
			x.Tag = tag
			break
		}
	}
	return x
}

// tags returns the build tags that the user has set.
func (cfg *Config) tags(tc *Toolchain) (tags []string) {
	for _, flag := range append(strings.Fields(tc.GOFLAGS), cfg.BuildFlags...) {
		if list, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "tags="); ok {
			tags = strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	return tags
}

// tagsOf returns the tags in a file's constraint that -tags can set.
func tagsOf(file string) (tags []string) {
	src, _ := os.ReadFile(file)
	for line := range strings.Lines(string(src)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "package ") {
			break
		}
		if x, err := constraint.Parse(line); err == nil {
			for _, value := range []bool{false, true} {
				// both values, because an operator may not evaluate its second operand
				x.Eval(func(tag string) bool { tags = append(tags, tag); return value })
			}
		}
	}
	return slices.DeleteFunc(tags, isSystem)
}

// isSystem reports whether a tag describes the system, or is "ignore", which keeps a file out of
// every package.
func isSystem(tag string) bool {
	switch tag {
	case "unix", "cgo", "gc", "gccgo", "ignore":
		return true
	}
	// Package build knows the names of all systems, and respects them at the end of a file's
	// name.
	ctxt := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	match, _ := ctxt.MatchFile("", "p_"+tag+".go")
	return !match
}
