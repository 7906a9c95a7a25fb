package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A built is what runs are made with: test binaries, and what is known of them. It is
// built here, or was built elsewhere and comes in a bundle.
type built struct {
	plan *instrument.Plan
	// BundleID names the bundle by its content; "" for what is built here.
	BundleID string
	bundle   *unpacked // nil for what is built here
}

// obtain makes the temporary directory, and instruments the packages or unpacks those of
// the bundle.
func (j *runJob) obtain(ctx context.Context) error {
	if err := j.makeWork(); err != nil {
		return err
	}
	if j.bundleFile != "" {
		return j.openBundle()
	}
	return j.instrumentTo(ctx, filepath.Join(j.work, "instrumented"))
}

// building is the word for how binaries are got.
func (b *built) building() string {
	if b.bundle != nil {
		return "unpacking"
	}
	return "building"
}

// addedFlags are those with which a bundle's binaries were built beside the user's.
func (b *built) addedFlags() []string {
	if b.bundle == nil {
		return nil
	}
	return b.bundle.Added
}

// originHere returns the state of the code, as git knows it.
func (j *runJob) originHere(ctx context.Context) provenance.Origin {
	if j.bundle != nil {
		return j.bundle.Origin
	}
	return provenance.FromGit(ctx, j.absDir())
}

// moved says what is to be named differently in what processes print: the shadow GOROOT,
// and where a bundle is unpacked.
func (b *built) moved() []runner.Moved {
	var list []runner.Moved
	if b.plan.Shadow != nil {
		list = append(list, runner.Moved{From: b.plan.Shadow.GOROOT, To: b.plan.Toolchain.GOROOT})
	}
	if b.bundle != nil {
		list = append(list, runner.Moved{From: b.bundle.tree(), To: b.bundle.Base})
	}
	return list
}

// here returns where a file is that had a path when the tests were built.
func (b *built) here(path string) string {
	if b.bundle == nil {
		return path
	}
	rest, ok := strings.CutPrefix(path, b.bundle.Base)
	if ok && (rest == "" || strings.HasSuffix(b.bundle.Base, "/") || rest[0] == '/' || rest[0] == '\\') {
		return filepath.Join(b.bundle.tree(), filepath.FromSlash(strings.ReplaceAll(rest, `\`, "/")))
	}
	return path
}

// hereFunc is here, nil if everything is where it was.
func (b *built) hereFunc() func(string) string {
	if b.bundle == nil {
		return nil
	}
	return b.here
}

// movedRoot returns where the module is now, "" if it is where it was.
func (b *built) movedRoot() string {
	if b.bundle == nil {
		return ""
	}
	return b.here(b.plan.Sites.Root)
}
