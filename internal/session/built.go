package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A Built has the test binaries that runs are made with, and their origin. They are built
// here, or Packed.
type Built struct {
	Plan   *instrument.Plan
	Packed Packed
	specs  specs
	inside []string // packages that Plan gives positions inside statements, in this order
	// replaced has the files that stand for others in the user's overlay, by their paths
	replaced map[string]string
}

// Packed are tests that were built before, maybe on another machine. If it is zero, they are built here.
type Packed struct {
	ID     string              // identifies the content
	Asked  []string            // patterns of packages as typed
	Origin provenance.Origin   // of the code
	Added  []string            // flags that the binaries were built with, besides the user's
	Notes  []string            // things that may be missing where they run
	Moved  []runner.Moved      // directories that the binaries know by another path
	Sums   map[string]string   // SHA-256 of the binaries, in hexadecimal digits
	Known  func() source.Known // the packages, by the go command
	Plain  *runner.Build       // as go test builds
	Traced *runner.Build       // with probes
	Race   func() (*runner.Build, error)
	Close  func() error
}

// Builds reports whether the tests are built here.
func (b *Built) Builds() bool { return b.Packed.ID == "" }

// Obtain makes the temporary directory, and instruments the packages or unpacks the tests.
func (j *Session) Obtain(ctx context.Context) error {
	if err := j.MakeWork(); err != nil {
		return err
	}
	if j.BundleFile != "" {
		if err := j.Unpack(); err != nil {
			return err
		}
		return j.findSuites()
	}
	return j.InstrumentTo(ctx, filepath.Join(j.Work, "instrumented"))
}

// Buildingf tells of the next build, if there is one.
func (j *Session) Buildingf(format string, args ...any) {
	if j.Builds() {
		j.Progressf(format, args...)
	}
}

// building is the word for how binaries are obtained.
func (b *Built) building() string {
	if b.Builds() {
		return "building"
	}
	return "unpacking"
}

// OriginHere returns the state of the code, according to git.
func (j *Session) OriginHere(ctx context.Context) provenance.Origin {
	if j.Builds() {
		return provenance.FromGit(ctx, j.AbsDir())
	}
	return j.Packed.Origin
}

// Here returns the path of a file now, given its path when the tests were built.
func (b *Built) Here(path string) string {
	for _, m := range b.Packed.Moved {
		rest, ok := strings.CutPrefix(path, m.To)
		if ok && (rest == "" || strings.HasSuffix(m.To, "/") || rest[0] == '/' || rest[0] == '\\') {
			return filepath.Join(m.From, filepath.FromSlash(strings.ReplaceAll(rest, `\`, "/")))
		}
	}
	return path
}

// movedRoot returns the directory of the module now, or "" if it has not moved.
func (b *Built) movedRoot() string {
	if now := b.Here(b.Plan.Sites.Root); now != b.Plan.Sites.Root {
		return now
	}
	return ""
}

// InstrumentTo rewrites the packages into a directory.
func (j *Session) InstrumentTo(ctx context.Context, out string) error {
	cfg, err := j.config(out)
	if err != nil {
		return err
	}
	defer j.Clear()
	j.replaced, _ = runner.ReadOverlay(j.Overlay, j.AbsDir()) // builds say what is wrong with it
	j.Phasef("instrumenting %s", strings.Join(j.Patterns, " "))
	prepare := instrument.Prepare
	if j.Machine.Prepare != nil {
		prepare = j.Machine.Prepare(j)
	}
	if j.Plan, err = prepare(ctx, cfg); err != nil {
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
		return advice.With(fmt.Errorf("no test files in %s", strings.Join(j.Patterns, " ")), j.patternHint(ctx), tagHint)
	}
	return nil
}

// config returns the packages to instrument, and the place for the rewritten files.
func (j *Session) config(out string) (instrument.Config, error) {
	dir, err := filepath.Abs(j.Chdir)
	if err != nil {
		return instrument.Config{}, err
	}
	return instrument.Config{
		Dir: dir, Patterns: j.Patterns, BuildFlags: j.UserFlags(), Instrument: j.Instrument,
		Generated: j.Generated, Overlay: j.Overlay, Out: out,
	}, nil
}

const (
	PatternHint = "packages are named as for go test: ./... for all below this directory"
	tagHint     = "-tags builds files that a //go:build line leaves out"
)

// explainPrepare adds hints to errors before anything is built.
func (j *Session) explainPrepare(ctx context.Context, err error) error {
	var unpatched *instrument.UnpatchedError
	switch {
	case errors.As(err, &unpatched) && unpatched.Try != "":
		return advice.With(err, "GOTOOLCHAIN="+unpatched.Try+" "+strings.Join(j.Command, " "))
	case errors.Is(err, instrument.ErrNoModule):
		return advice.With(err, "run fdebug in the directory of your module, or use -C DIR")
	case errors.Is(err, instrument.ErrNoPackages):
		return advice.With(err, j.patternHint(ctx), tagHint)
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
	if j.Packed.Plain != nil {
		return j.Packed.Plain
	}
	return &runner.Build{GoCmd: "go", Dir: j.AbsDir(), Flags: append(j.UserFlags(), j.LeanFlags()...), Vet: j.Vet,
		Added: j.specs.plain, Out: out}
}

// LeanFlags leave out the symbols that only debuggers read, as go test does in binaries that it runs itself: they take
// a third of the time of linking, and half of a compressed binary. Someone with
// linker flags of their own may want it.
func (j *Session) LeanFlags() []string {
	flags := append(strings.Fields(j.Plan.Toolchain.GOFLAGS), j.Flags...)
	if slices.ContainsFunc(flags, func(flag string) bool {
		return strings.HasPrefix(strings.TrimLeft(flag, "-"), "ldflags")
	}) {
		return nil
	}
	return []string{"-ldflags=-s -w"}
}

// TracedBuild builds with probes.
func (j *Session) TracedBuild(out string) *runner.Build {
	if j.Packed.Traced != nil {
		return j.Packed.Traced
	}
	flags := append(j.LeanFlags(), j.Flags...)
	for _, f := range j.Plan.BuildFlags() {
		if !strings.HasPrefix(f, "-overlay=") && !strings.HasPrefix(f, "-vet=") { // runner adds them
			flags = append(flags, f)
		}
	}
	return &runner.Build{
		GoCmd: j.Plan.Shadow.Go(), Env: j.Plan.Shadow.Env(), Dir: j.Plan.BuildDir(j.AbsDir()),
		Flags: flags, Vet: "off", Overlay: j.Plan.Overlay, Added: j.specs.traced, Out: out,
	}
}

// RaceBuild builds with the race detector.
func (j *Session) RaceBuild(out string) (*runner.Build, error) {
	if j.Packed.Race != nil {
		return j.Packed.Race()
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
