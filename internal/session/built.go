package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A Built is what runs are made with: test binaries, and what is known about them. It is built
// here, or was built elsewhere and comes in a bundle.
type Built struct {
	Plan *instrument.Plan
	// BundleID identifies the content of the bundle; "" without one.
	BundleID string
	Bundle   *Unpacked // nil without a bundle
	specs    specs
	inside   []string // packages that Plan gives positions inside statements, in this order
}

// Obtain makes the temporary directory, and instruments the packages or unpacks the bundle.
func (j *Session) Obtain(ctx context.Context) error {
	if err := j.MakeWork(); err != nil {
		return err
	}
	if j.BundleFile != "" {
		if err := j.openBundle(); err != nil {
			return err
		}
		return j.findSuites()
	}
	return j.InstrumentTo(ctx, filepath.Join(j.Work, "instrumented"))
}

// building is the word for how binaries are obtained.
func (b *Built) building() string {
	if b.Bundle != nil {
		return "unpacking"
	}
	return "building"
}

// addedFlags are flags that a bundle's binaries were built with, besides the user's.
func (b *Built) addedFlags() []string {
	if b.Bundle == nil {
		return nil
	}
	return b.Bundle.Added
}

// OriginHere returns the state of the code, according to git.
func (j *Session) OriginHere(ctx context.Context) provenance.Origin {
	if j.Bundle != nil {
		return j.Bundle.Origin
	}
	return provenance.FromGit(ctx, j.AbsDir())
}

// moved says which paths to replace in the output of processes: the directory where a bundle is
// unpacked.
func (b *Built) moved() []runner.Moved {
	if b.Bundle == nil {
		return nil
	}
	return []runner.Moved{{From: b.Bundle.tree(), To: b.Bundle.Base}}
}

// Here returns the path of a file now, given its path when the tests were built.
func (b *Built) Here(path string) string {
	if b.Bundle == nil {
		return path
	}
	rest, ok := strings.CutPrefix(path, b.Bundle.Base)
	if ok && (rest == "" || strings.HasSuffix(b.Bundle.Base, "/") || rest[0] == '/' || rest[0] == '\\') {
		return filepath.Join(b.Bundle.tree(), filepath.FromSlash(strings.ReplaceAll(rest, `\`, "/")))
	}
	return path
}

// movedRoot returns the directory of the module now, or "" if it has not moved.
func (b *Built) movedRoot() string {
	if b.Bundle == nil {
		return ""
	}
	return b.Here(b.Plan.Sites.Root)
}

// InstrumentTo rewrites the packages into a directory.
func (j *Session) InstrumentTo(ctx context.Context, out string) error {
	cfg, err := j.config(out)
	if err != nil {
		return err
	}
	defer j.Clear()
	j.Phasef("instrumenting %s", strings.Join(j.Patterns, " "))
	if j.Plan, err = instrument.Prepare(ctx, cfg); err != nil {
		return j.explainPrepare(ctx, err)
	}
	if err := j.findSuites(); err != nil {
		return err
	}
	if err := j.addSpecs(out); err != nil {
		return fmt.Errorf("making specs tests: %w", err)
	}
	for _, w := range j.Plan.Warnings {
		j.Warnf("%v", w)
	}
	if len(j.Plan.Packages) == 0 {
		return advice.With(fmt.Errorf("no test files in %s", strings.Join(j.Patterns, " ")), j.patternHint(ctx))
	}
	return nil
}

// config says what to instrument, and where the rewritten files go.
func (j *Session) config(out string) (instrument.Config, error) {
	dir, err := filepath.Abs(j.Chdir)
	if err != nil {
		return instrument.Config{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return instrument.Config{}, advice.With(err,
			"fdebug keeps a patched view of the Go runtime there; set XDG_CACHE_HOME or HOME")
	}
	return instrument.Config{
		Dir: dir, Patterns: j.Patterns, BuildFlags: j.UserFlags(), Instrument: j.Instrument,
		Generated: j.Generated, Overlay: j.Overlay, Out: out, Cache: filepath.Join(cache, "fdebug"),
	}, nil
}

const PatternHint = "packages are named as for go test: ./... for all below this directory"

// explainPrepare adds hints to errors before anything is built.
func (j *Session) explainPrepare(ctx context.Context, err error) error {
	var excluded *instrument.ExcludedError
	switch {
	case errors.As(err, &excluded) && excluded.Tag != "":
		return advice.With(err, "-tags "+excluded.Tag+" builds "+excluded.File)
	case errors.As(err, &excluded):
		return advice.With(err, "its name and its //go:build line say where "+excluded.File+" is built")
	case errors.Is(err, instrument.ErrNoModule):
		return advice.With(err, "run fdebug in the directory of your module, or use -C DIR")
	case errors.Is(err, instrument.ErrNoPackages):
		return advice.With(err, j.patternHint(ctx))
	case errors.Is(err, instrument.ErrScope):
		return advice.With(err, "import paths are wanted, as go list -deps -test "+strings.Join(j.Patterns, " ")+" prints them",
			"/... at the end takes the packages below as well")
	}
	return err
}

// UserFlags are the build flags that the user gave.
func (j *Session) UserFlags() []string {
	flags := append([]string{}, j.Flags...)
	if j.Overlay != "" {
		flags = append(flags, "-overlay="+j.Overlay)
	}
	return flags
}

// PlainBuild builds as go test would.
func (j *Session) PlainBuild(out string) *runner.Build {
	if j.Bundle != nil {
		return j.Bundle.build(plainBinary)
	}
	return &runner.Build{GoCmd: "go", Dir: j.AbsDir(), Flags: append(j.UserFlags(), j.LeanFlags()...), Vet: j.Vet,
		Added: j.specs.plain, Out: out}
}

// LeanFlags leave out what only debuggers read, as go test does in what it runs itself: that is a
// third of the time that linking takes, and half of a binary that is compressed. Someone with
// linker flags of their own may want it.
func (j *Session) LeanFlags() []string {
	flags := append(strings.Fields(j.Plan.Toolchain.GOFLAGS), j.Flags...)
	if j.Symbols || slices.ContainsFunc(flags, func(flag string) bool {
		return strings.HasPrefix(strings.TrimLeft(flag, "-"), "ldflags")
	}) {
		return nil
	}
	return []string{"-ldflags=-s -w"}
}

// TracedBuild builds with probes.
func (j *Session) TracedBuild(out string) *runner.Build {
	if j.Bundle != nil {
		return j.Bundle.build(tracedBinary)
	}
	flags := append(j.LeanFlags(), j.Flags...)
	for _, f := range j.Plan.BuildFlags() {
		if !strings.HasPrefix(f, "-overlay=") && !strings.HasPrefix(f, "-vet=") { // runner adds them
			flags = append(flags, f)
		}
	}
	return &runner.Build{
		GoCmd: j.Plan.GoCmd(), Env: j.Plan.Env(), Dir: j.Plan.BuildDir(j.AbsDir()),
		Flags: flags, Vet: "off", Overlay: j.Plan.Overlay, Added: j.specs.traced, Out: out,
	}
}

// RaceBuild builds with the race detector.
func (j *Session) RaceBuild(out string) (*runner.Build, error) {
	if j.Bundle != nil {
		return j.Bundle.raceBuild()
	}
	b := j.PlainBuild(out)
	b.Flags, b.Vet = append(b.Flags, "-race"), "off"
	return b, nil
}

func (j *Session) AbsDir() string {
	dir, err := filepath.Abs(j.Chdir)
	if err != nil {
		return j.Chdir
	}
	return dir
}
