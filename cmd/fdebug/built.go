package main

import (
	"context"
	"errors"
	"fmt"
	"os"
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
func (j *session) obtain(ctx context.Context) error {
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
func (j *session) originHere(ctx context.Context) provenance.Origin {
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

// instrumentTo rewrites the packages into a directory.
func (j *session) instrumentTo(ctx context.Context, out string) error {
	cfg, err := j.config(out)
	if err != nil {
		return err
	}
	j.progressf("instrumenting %s", strings.Join(j.patterns, " "))
	if j.plan, err = instrument.Prepare(ctx, cfg); err != nil {
		return explainPrepare(err)
	}
	for _, w := range j.plan.Warnings {
		j.warnf("%v", w)
	}
	if len(j.plan.Packages) == 0 {
		return withHint(fmt.Errorf("no test files in %s", strings.Join(j.patterns, " ")), patternHint)
	}
	return nil
}

// config says what to instrument, and where the rewritten files go.
func (j *session) config(out string) (instrument.Config, error) {
	dir, err := filepath.Abs(j.chdir)
	if err != nil {
		return instrument.Config{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return instrument.Config{}, withHint(err, "fdebug keeps a patched view of the Go runtime there; set XDG_CACHE_HOME or HOME")
	}
	return instrument.Config{
		Dir: dir, Patterns: j.patterns, BuildFlags: j.userFlags(), Instrument: j.instrument,
		Generated: j.generated, Overlay: j.overlay, Out: out, Cache: filepath.Join(cache, "fdebug"),
	}, nil
}

const patternHint = "packages are named as for go test: ./... for all below this directory"

// explainPrepare adds hints to what can go wrong before anything is built.
func explainPrepare(err error) error {
	switch {
	case errors.Is(err, instrument.ErrNoModule):
		return withHint(err, "run fdebug in the directory of your module, or use -C DIR")
	case errors.Is(err, instrument.ErrNoPackages):
		return withHint(err, patternHint)
	}
	return err
}

// userFlags are the build flags that the user gave.
func (j *session) userFlags() []string {
	flags := append([]string{}, j.flags...)
	if j.overlay != "" {
		flags = append(flags, "-overlay="+j.overlay)
	}
	return flags
}

// plainBuild builds as go test would.
func (j *session) plainBuild(out string) *runner.Build {
	if j.bundle != nil {
		return j.bundle.build(plainBinary)
	}
	return &runner.Build{GoCmd: "go", Dir: j.absDir(), Flags: j.userFlags(), Vet: j.vet, Out: out}
}

// tracedBuild builds with probes.
func (j *session) tracedBuild(out string) *runner.Build {
	if j.bundle != nil {
		return j.bundle.build(tracedBinary)
	}
	flags := append([]string{}, j.flags...)
	for _, f := range j.plan.BuildFlags() {
		if !strings.HasPrefix(f, "-overlay=") { // runner adds it
			flags = append(flags, f)
		}
	}
	return &runner.Build{
		GoCmd: j.plan.GoCmd(), Env: j.plan.Env(), Dir: j.plan.BuildDir(j.absDir()),
		Flags: flags, Overlay: j.plan.Overlay, Out: out,
	}
}

// raceBuild builds with the race detector.
func (j *session) raceBuild(out string) (*runner.Build, error) {
	if j.bundle != nil {
		return j.bundle.raceBuild()
	}
	b := j.plainBuild(out)
	b.Flags, b.Vet = append(b.Flags, "-race"), "off"
	return b, nil
}

func (j *session) absDir() string {
	dir, err := filepath.Abs(j.chdir)
	if err != nil {
		return j.chdir
	}
	return dir
}
