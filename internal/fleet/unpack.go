package fleet

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/fleet/bundle"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// An Unpacked is a bundle and the place of its files.
type Unpacked struct {
	*bundle.Bundle
	Dir   string // temporary
	raced bool   // whether the binaries with the race detector are there too
}

// tree is the directory of the module's files.
func (u *Unpacked) tree() string { return filepath.Join(u.Dir, bundle.TreeDir) }

// Unpack unpacks the bundle of -bundle, and gives the session its tests.
func (s *Shard) Unpack() error {
	b, err := bundle.Open(s.BundleFile)
	if err != nil {
		return s.explainBundle(err)
	}
	u := &Unpacked{Bundle: b, Dir: filepath.Join(s.Work, "bundle")}
	s.Packed = session.Packed{ID: b.ID, Close: b.Close}
	if err := u.Fits(s.BundleFile, len(s.Sel.Exec) > 0); err != nil {
		return err
	}
	packages, err := u.Choose(s.Patterns)
	if err != nil {
		return err
	}
	s.Progressf("%s is code from somebody, and runs with your rights: %s", s.BundleFile, u.Provenance())
	for _, n := range b.Notes {
		s.Warnf("%s", n)
	}
	if err := os.Mkdir(u.Dir, 0o777); err != nil {
		return err
	}
	if err := b.Unpack(u.Dir, s.wanted(packages)); err != nil {
		return s.explainBundle(err)
	}
	asked := s.Patterns
	s.Patterns, s.Flags, s.Vet, s.Instrument, s.Generated = b.Patterns, b.Flags, b.Vet, b.Instrument, b.Generated
	s.Packed = u.packed(func() source.Known { return s.known(u) })
	s.Packed.Asked = asked
	return s.planOf(u, packages)
}

// wanted returns which files of a bundle are unpacked at first. Of its binaries these are the
// ones that run here.
func (s *Shard) wanted(packages []bundle.Package) func(name string) bool {
	// Control runs need binaries without probes.
	noPlain := s.Part.Of > 0 && s.Part.Count(s.Plain) == 0
	need := make(map[string]bool)
	for _, p := range packages {
		need[p.Traced] = true
		need[p.Plain] = need[p.Plain] || !noPlain || p.Traced == ""
	}
	return func(name string) bool { return need[name] || !bundle.IsBinary(name) }
}

// packed returns the bundle as a session wants it.
func (u *Unpacked) packed(known func() source.Known) session.Packed {
	p := session.Packed{
		ID: u.ID, Origin: u.Origin, Added: u.Added, Notes: u.Notes, Known: known,
		Moved: []runner.Moved{{From: u.tree(), To: u.Base}}, Sums: make(map[string]string),
		Plain: u.build(plainBinary), Traced: u.build(tracedBinary), Race: u.raceBuild, Close: u.Close,
	}
	for _, f := range u.Files {
		if bundle.IsBinary(f.Name) && len(f.SHA256) == 2*sha256.Size {
			p.Sums[filepath.Join(u.Dir, filepath.FromSlash(f.Name))] = f.SHA256
		}
	}
	return p
}

// planOf makes the plan of a bundle, with the packages that were chosen.
func (s *Shard) planOf(b *Unpacked, packages []bundle.Package) error {
	sites, err := trace.ReadSites(filepath.Join(b.Dir, bundle.SitesName))
	if err != nil {
		return s.explainBundle(err)
	}
	plan := &instrument.Plan{
		Toolchain: &instrument.Toolchain{
			GOROOT: b.GOROOT, GOVERSION: b.Go, GOOS: b.GOOS, GOARCH: b.GOARCH,
			GOMOD: filepath.Join(s.AbsDir(), "go.mod"), // where results go
		},
		Modules: b.Modules, Sites: sites,
	}
	for _, p := range packages {
		plan.Packages = append(plan.Packages, instrument.Package{ImportPath: p.ImportPath, Dir: b.OnBuilder(p.Dir)})
	}
	s.Session.Plan = plan
	return nil
}

// known returns the answers of the go command about the packages. Without it, fdebug finds out less about a
// failure, but nothing wrong.
func (s *Shard) known(u *Unpacked) *bundle.Known {
	table, err := u.Read(bundle.SourceTable)
	if err == nil {
		var exports []byte
		var k *bundle.Known
		if exports, err = u.Read(bundle.SourceExports); err == nil {
			if k, err = bundle.DecodeKnown(table, exports); err == nil {
				return k
			}
		}
	}
	s.Warnf("types are not known: %v", s.explainBundle(err))
	return &bundle.Known{}
}

// Provenance says where a bundle comes from.
func (u *Unpacked) Provenance() string {
	text := fmt.Sprintf("bundle %s of %s", u.ID[:12], strings.Join(u.Modules, ", "))
	if c := u.Commit(); c != "" {
		text += ", commit " + c
	}
	return fmt.Sprintf("%s, built with %s for %s/%s", text, u.Go, u.GOOS, u.GOARCH)
}

// Fits refuses a bundle for another system, unless a command is given that runs its programs here.
func (u *Unpacked) Fits(file string, emulated bool) error {
	if emulated || u.GOOS == runtime.GOOS && u.GOARCH == runtime.GOARCH {
		return nil
	}
	here := fmt.Sprintf("GOOS=%s GOARCH=%s", runtime.GOOS, runtime.GOARCH)
	return advice.With(fmt.Errorf("%s is for %s/%s, and this is %s/%s", file, u.GOOS, u.GOARCH,
		runtime.GOOS, runtime.GOARCH),
		"where its source is: "+here+" fdebug build -bundle FILE ...", "with an emulator: -exec CMD")
}

// Choose returns the packages that patterns match, or all if there are none.
func (u *Unpacked) Choose(patterns []string) ([]bundle.Package, error) {
	if len(patterns) == 0 {
		return u.Packages, nil
	}
	var list []bundle.Package
	for _, pattern := range patterns {
		n := 0
		for _, p := range u.Packages {
			if matchPackage(pattern, p.ImportPath) || matchDir(pattern, u.Root, p.Dir) {
				n++
				if !slices.ContainsFunc(list, func(q bundle.Package) bool { return q.ImportPath == p.ImportPath }) {
					list = append(list, p)
				}
			}
		}
		if n == 0 {
			return nil, advice.With(fmt.Errorf("no package of the bundle matches %s", pattern),
				"it has "+packageNames(u.Packages))
		}
	}
	return list, nil
}

func packageNames(list []bundle.Package) string {
	var names []string
	for i, p := range list {
		if i == 10 {
			names = append(names, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		names = append(names, p.ImportPath)
	}
	return strings.Join(names, ", ")
}

// matchPackage reports whether a pattern of the go command, with or without "...", matches a
// package.
func matchPackage(pattern, name string) bool {
	if pattern == "..." {
		return true
	}
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok && !strings.Contains(dir, "...") {
		return name == dir || strings.HasPrefix(name, dir+"/")
	}
	before, after, wild := strings.Cut(pattern, "...")
	if !wild {
		return pattern == name
	}
	return strings.HasPrefix(name, before) && strings.HasSuffix(name[len(before):], after)
}

// matchDir reports whether a pattern that is relative to the module's directory matches a
// package's directory.
func matchDir(pattern, root, dir string) bool {
	rel, err := filepath.Rel(filepath.FromSlash(root), filepath.FromSlash(dir))
	if err != nil || !strings.HasPrefix(pattern, ".") || strings.HasPrefix(pattern, "...") {
		return false
	}
	rel, pattern = filepath.ToSlash(rel), path.Clean(pattern)
	if pattern == "..." { // was ./...
		return !strings.HasPrefix(rel, "..")
	}
	return matchPackage(pattern, rel)
}

// A binaryKind is one of the binaries of a package.
type binaryKind func(bundle.Package) runner.Ready

func plainBinary(p bundle.Package) runner.Ready { return runner.Ready{Path: p.Plain} }

func tracedBinary(p bundle.Package) runner.Ready {
	r := runner.Ready{Path: p.Traced}
	if p.Traced == "" {
		r.Err = &runner.BuildError{Package: p.ImportPath, Output: p.TracedErr, Traced: true}
	}
	return r
}

// build returns a build that provides the binaries of a kind.
func (u *Unpacked) build(kind binaryKind) *runner.Build {
	ready := make(map[string]runner.Ready)
	for _, p := range u.Packages {
		r := kind(p)
		r.Path = filepath.Join(u.Dir, filepath.FromSlash(r.Path))
		ready[p.ImportPath] = r
	}
	return &runner.Build{Ready: ready}
}

// raceBuild is build for the binaries with the race detector, which are unpacked on demand.
func (u *Unpacked) raceBuild() (*runner.Build, error) {
	if u.NoRace != "" {
		return nil, fmt.Errorf("the bundle has no binaries with the race detector: %s", u.NoRace)
	}
	if !u.raced {
		if err := u.Unpack(u.Dir, bundle.IsRace); err != nil {
			return nil, err
		}
		u.raced = true
	}
	return u.build(func(p bundle.Package) runner.Ready {
		r := runner.Ready{Path: p.Race}
		if p.Race == "" {
			r.Err = errors.New("the bundle has no binary with the race detector")
		}
		return r
	}), nil
}

// explainBundle says which bundle can't be read, and what to do about it.
func (s *Shard) explainBundle(err error) error {
	file := s.BundleFile
	if errors.Is(err, fs.ErrNotExist) {
		return advice.With(err, "fdebug build -bundle "+file+" ./... makes it")
	}
	wrapped := fmt.Errorf("%s: %w", file, err)
	switch {
	case errors.Is(err, bundle.ErrVersion), errors.Is(err, trace.ErrVersion):
		return advice.With(wrapped, "this is fdebug "+s.Version+
			": the fdebug that runs a bundle must be as new as the one that made it")
	case errors.Is(err, bundle.ErrFormat):
		return advice.With(wrapped,
			"copy it again; fdebug build -bundle FILE makes one, and its id says whether two are the same")
	}
	return wrapped
}
