package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/fleet/bundle"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/internal/text"
)

// A Bundle packs tests into one file, to run elsewhere. Set the fields of the first part, and call Run.
type Bundle struct {
	*session.Session
	File    string   // a file, or a directory for a file named by its content
	Include []string // patterns of files to add

	w       bundle.Writer
	baggage bundle.Baggage
}

func (j *Bundle) Run(ctx context.Context) error {
	defer j.CleanUp()
	if err := j.MakeWork(); err != nil {
		return err
	}
	if err := j.InstrumentTo(ctx, filepath.Join(j.Work, "instrumented")); err != nil {
		return err
	}
	if j.Plan.Std != "" {
		return errors.New("the tests of Go's own source tree need it around them, and can't be bundled")
	}
	picked, err := j.pick(ctx)
	if err != nil {
		return err
	}
	j.describe(ctx, picked)
	if err := j.w.Add(bundle.SitesName, j.Plan.SitesPath, false); err != nil {
		return err
	}
	if err := j.addKnown(ctx); err != nil {
		return err
	}
	left, err := j.w.AddTree(picked)
	if err != nil {
		return err
	}
	for _, text := range left {
		j.note("%s", text)
	}
	if err := j.binaries(ctx); err != nil {
		return err
	}
	j.lookForBaggage()
	return j.write()
}

// pick chooses the files of the module.
func (j *Bundle) pick(ctx context.Context) (*bundle.Picked, error) {
	root := j.Plan.Toolchain.ModuleRoot()
	out, err := filepath.Abs(j.File)
	if err != nil {
		return nil, err
	}
	t := &bundle.Tree{
		Modules: []string{root}, Include: j.Include,
		Skip: []string{".git", ".hg", ".svn", store.Name, out},
	}
	for _, p := range j.Plan.Packages {
		t.Packages = append(t.Packages, p.Dir)
		if mod, _, err := syntax.ModuleOf(p.Dir); err == nil && mod != root {
			t.Modules = appendNew(t.Modules, mod)
		}
	}
	for _, f := range j.Plan.Sites.Files {
		t.Sources = append(t.Sources, filepath.Join(j.Plan.Sites.Root, filepath.FromSlash(f.Path)))
	}
	picked, err := t.Pick(ctx)
	if errors.Is(err, bundle.ErrNoMatch) {
		err = advice.With(err, "patterns of -include are those of path.Match, relative to the module's directory")
	}
	return picked, err
}

func appendNew(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

// describe fills in the manifest.
func (j *Bundle) describe(ctx context.Context, p *bundle.Picked) {
	tc := j.Plan.Toolchain
	j.w.Manifest = bundle.Manifest{
		Fdebug: j.Version, Go: tc.GOVERSION, GOOS: tc.GOOS, GOARCH: tc.GOARCH,
		GOROOT:  tc.GOROOT,
		Modules: j.Plan.Modules, Base: p.Base, Root: slashRel(p.Base, j.Plan.Sites.Root),
		Origin:   provenance.FromGit(ctx, j.AbsDir()).Or(provenance.FromEnv(j.Getenv)),
		Patterns: j.ImportPatterns(), Flags: j.UserFlags(), Added: j.LeanFlags(), Vet: j.Vet, Instrument: j.Instrument,
		Generated: j.Generated,
	}
	// The job and its attempt belong to the build. A run of the bundle has its own.
	o := &j.w.Manifest.Origin
	o.Job, o.Attempt, o.CI = "", 0, ""
	for _, n := range p.Notes {
		j.note("%s", n)
	}
}

// addKnown adds what the analysis would otherwise ask the go command.
func (j *Bundle) addKnown(ctx context.Context) error {
	cfg := source.Config{Dir: j.Plan.Sites.Root, Flags: j.UserFlags(), Sites: j.Plan.Sites}
	k, err := bundle.Know(ctx, cfg, j.Plan.Toolchain.GOARCH)
	if err != nil {
		return fmt.Errorf("listing what the packages import: %w", err)
	}
	table, exports, err := k.Encode()
	if err != nil {
		return err
	}
	j.w.AddData(bundle.SourceTable, table)
	j.w.AddData(bundle.SourceExports, exports)
	return nil
}

func slashRel(base, name string) string {
	rel, err := filepath.Rel(base, name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

// note says what the bundle may lack, both here and when the bundle runs.
func (j *Bundle) note(format string, args ...any) {
	text := strings.Map(func(r rune) rune { // a name may contain anything
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, fmt.Sprintf(format, args...))
	j.w.Manifest.Notes = append(j.w.Manifest.Notes, text)
	j.Warnf("%s", text)
}

// binaries builds the packages: as go test does, with probes, and with the race detector.
func (j *Bundle) binaries(ctx context.Context) error {
	plain, traced := j.PlainBuild(j.Work), j.TracedBuild(j.Work)
	var targets []runner.Target
	for _, p := range j.Plan.Packages {
		targets = append(targets, runner.Target{ImportPath: p.ImportPath, Dir: p.Dir})
	}
	j.Progressf("building %s", text.Plural(len(targets), "package"))
	together(ctx, plain, targets)
	together(ctx, traced, targets)
	race, err := j.raceBuild(ctx, targets)
	if err != nil {
		return err
	}
	for i, t := range targets {
		entry := bundle.Package{ImportPath: t.ImportPath, Dir: slashRel(j.w.Manifest.Base, t.Dir)}
		bin, err := plain.Test(ctx, t)
		if errors.Is(err, runner.ErrNoTestFiles) {
			continue
		} else if err != nil {
			return err
		}
		j.baggage.Binary(t.ImportPath, bin.Path)
		if entry.Plain, err = j.addBinary(bin, "plain", i+1); err != nil {
			return err
		}
		if err := j.addTraced(ctx, traced, t, &entry, i+1); err != nil {
			return err
		}
		if err := j.addRace(ctx, race, t, &entry, i+1); err != nil {
			return err
		}
		j.w.Manifest.Packages = append(j.w.Manifest.Packages, entry)
	}
	return nil
}

// together builds packages with as few go commands as can be. Those that did not build are left to be built alone,
// which says why.
func together(ctx context.Context, b *runner.Build, targets []runner.Target) {
	for _, list := range runner.Layers(targets) {
		b.Tests(ctx, list, func(bin *runner.Binary) { b.Built = append(b.Built, bin) })
	}
}

// lookForBaggage says what tests need that is not in the bundle.
func (j *Bundle) lookForBaggage() {
	j.baggage.Root = j.Plan.Sites.Root
	for _, f := range j.Plan.Sites.Files {
		j.baggage.Source(filepath.Join(j.Plan.Sites.Root, filepath.FromSlash(f.Path)))
	}
	for _, n := range j.baggage.Notes() {
		j.note("%s", n)
	}
}

// addTraced adds the binary with probes. As in a run, tests are run without it if need be.
func (j *Bundle) addTraced(ctx context.Context, b *runner.Build, target runner.Target, entry *bundle.Package, n int) error {
	bin, err := b.Test(ctx, target)
	if fault := (*runner.BuildError)(nil); errors.As(err, &fault) {
		fault.Traced = true
		entry.TracedErr = fault.Output
		j.Warnf("%v", fault)
		return nil
	} else if err != nil {
		return err
	}
	entry.Traced, err = j.addBinary(bin, "traced", n)
	return err
}

// raceBuild builds with the race detector, if that can be.
func (j *Bundle) raceBuild(ctx context.Context, targets []runner.Target) (*runner.Build, error) {
	m := &j.w.Manifest
	switch {
	case !j.Takes("race"):
		m.NoRace = "it was built without"
		return nil, nil
	case j.Sanitized():
		m.NoRace = "every run is made with a detector"
		return nil, nil
	}
	b, err := j.RaceBuild(j.Work)
	if err == nil {
		together(ctx, b, targets)
	}
	return b, err
}

// addRace adds the binary with the race detector, if it can be built.
func (j *Bundle) addRace(ctx context.Context, b *runner.Build, target runner.Target, entry *bundle.Package, n int) error {
	m := &j.w.Manifest
	if m.NoRace != "" {
		return nil
	}
	bin, err := b.Test(ctx, target)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if fault := (*runner.BuildError)(nil); errors.As(err, &fault) {
		why := text.FirstLine([]byte(strings.TrimSpace(fault.Output)))
		if strings.HasPrefix(why, "go: ") { // go itself refuses, for every package
			m.NoRace = why
			j.note("there are no binaries with the race detector: %s", why)
		} else {
			j.note("%s is not run with the race detector: %s", target.ImportPath, why)
		}
		return nil
	} else if err != nil {
		return err
	}
	entry.Race, err = j.addBinary(bin, "race", n)
	return err
}

// addBinary adds a binary, under the name that it has with go test.
func (j *Bundle) addBinary(bin *runner.Binary, kind string, n int) (string, error) {
	base := path.Base(bin.ImportPath) + ".test"
	if j.Plan.Toolchain.GOOS == "windows" {
		base += ".exe"
	}
	name := bundle.BinaryName(n, kind, base)
	return name, j.w.Add(name, bin.Path, true)
}

// write writes the bundle, and says what is in it.
func (j *Bundle) write() error {
	manifest, id, err := j.w.Encode()
	if err != nil {
		return err
	}
	file := j.File
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, path.Base(j.Plan.Sites.Module)+"-"+id[:12]+bundle.Suffix)
	}
	j.Progressf("packing %d MB", j.w.Size()>>20)
	if err := j.w.WriteFile(file, manifest); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(j.Stdout, "%s\tbundle %s, %s for %s/%s, %.1f MB\n", file, id[:12],
		text.Plural(len(j.w.Manifest.Packages), "package"),
		j.Plan.Toolchain.GOOS, j.Plan.Toolchain.GOARCH, float64(info.Size())/1e6)
	return nil
}
