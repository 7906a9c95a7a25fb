package inject

import (
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
	"golang.org/x/tools/go/packages"
)

// A Mutant is a module with one edit.
type Mutant struct {
	ID       string  `json:"id"`
	Module   string  `json:"module"`  // path@version
	Package  string  `json:"package"` // import path
	File     string  `json:"file"`    // relative to the module
	Operator string  `json:"operator"`
	Lines    []Range `json:"lines"` // lines of the edit, in the mutated source
	Func     string  `json:"func,omitempty"`
	Span     Range   `json:"span,omitzero"` // lines of that function
}

// A candidate is a mutant that can be tried.
type candidate struct {
	Mutant
	module   *module
	pkg      *goPackage
	operator operator
	text     []byte // of the file
}

// candidates lists everything that all operators can do to a module, in the order of the source.
func (l *lab) candidates(ctx context.Context, m *module) (list []*candidate, err error) {
	sources, err := l.load(ctx, m)
	if err != nil {
		return nil, err
	}
	for _, p := range m.Packages {
		if p.Err != "" {
			continue
		}
		dead := deadCode(l.profile(p))
		for _, s := range sources[p.Path] {
			for _, op := range l.operators {
				if !op.shuffle || p.Shuffled {
					list = append(list, s.candidates(m, p, op, dead)...)
				}
			}
		}
	}
	return list, nil
}

// candidates lists everything that one operator can do to one file.
func (s *source) candidates(m *module, p *goPackage, op operator, dead dead) (list []*candidate) {
	for _, e := range op.sites(s) {
		at := e.cuts[0].start
		if dead.has(s, at) {
			continue
		}
		a, err := s.apply(e)
		if err != nil {
			continue // it does not parse, so the mutant would not compile
		}
		sum := sha256.Sum256(fmt.Append(nil, m.Name, p.Path, s.path, op.name, at))
		list = append(list, &candidate{
			module: m, pkg: p, operator: op, text: a.text,
			Mutant: Mutant{
				ID: fmt.Sprintf("%s-%x", op.name, sum[:5]), Module: m.Name, Package: p.Path, File: s.path,
				Operator: op.name, Lines: a.lines, Func: a.name, Span: a.fn,
			},
		})
	}
	return list
}

// load reads the packages of a module that take part, with their tests, by import path.
func (l *lab) load(ctx context.Context, m *module) (map[string][]*source, error) {
	var want []string
	for _, p := range m.Packages {
		if p.Err == "" {
			want = append(want, p.Path)
		}
	}
	if len(want) == 0 {
		return nil, nil
	}
	pkgs, err := l.loadTyped(ctx, m, want)
	if err != nil {
		return nil, err
	}
	files := make(map[string]map[string]*source)
	for _, p := range pkgs {
		path := p.PkgPath
		if p.ForTest != "" {
			path = p.ForTest
		}
		if strings.HasSuffix(p.PkgPath, ".test") || len(p.Errors) > 0 {
			continue
		}
		if files[path] == nil {
			files[path] = make(map[string]*source)
		}
		for _, f := range p.Syntax {
			s, err := newSource(m, l.moduleDir(m), p, f)
			if err != nil {
				return nil, err
			}
			if s != nil {
				files[path][s.path] = s
			}
		}
	}
	out := make(map[string][]*source)
	for path, byName := range files {
		for _, name := range slices.Sorted(maps.Keys(byName)) {
			out[path] = append(out[path], byName[name])
		}
	}
	return out, nil
}

// loadTyped loads packages of a module with their types. The variant of a package that includes
// the tests comes last, and has all files.
func (l *lab) loadTyped(ctx context.Context, m *module, paths []string) ([]*packages.Package, error) {
	dir := l.moduleDir(m)
	const mode = packages.NeedName | packages.NeedForTest | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo
	pkgs, err := packages.Load(&packages.Config{Context: ctx, Mode: mode, Dir: dir, Env: l.environ(dir), Tests: true},
		paths...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	slices.SortFunc(pkgs, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	return pkgs, nil
}

// newSource returns a file of a package, or nil if it is generated or not in the module.
func newSource(m *module, dir string, p *packages.Package, f *ast.File) (*source, error) {
	name := p.Fset.PositionFor(f.Package, false).Filename
	rel, err := filepath.Rel(dir, name)
	if err != nil || !filepath.IsLocal(rel) || ast.IsGenerated(f) {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &source{
		path: filepath.ToSlash(rel), test: strings.HasSuffix(rel, "_test.go"), module: m.path(),
		text: text, file: f, fset: p.Fset, info: p.TypesInfo,
	}, nil
}

// dead has the statements that the tests of a package never run.
type dead map[string][]cover.ProfileBlock // by file name without the directory

// deadCode reads a profile. A profile that is missing, or counts the same block in two ways, as
// with //line directives, is ignored.
func deadCode(profile string) dead {
	list, err := cover.ParseProfiles(profile)
	if err != nil {
		return nil
	}
	d := make(dead)
	for _, p := range list {
		name := filepath.Base(p.FileName)
		for _, b := range p.Blocks {
			if b.Count == 0 {
				d[name] = append(d[name], b)
			}
		}
	}
	return d
}

// has reports whether a byte of a file is in a statement that never runs.
func (d dead) has(s *source, offset int) bool {
	f := s.fset.File(s.file.FileStart)
	p := f.PositionFor(f.Pos(offset), false)
	for _, b := range d[filepath.Base(s.path)] {
		after := p.Line > b.StartLine || p.Line == b.StartLine && p.Column >= b.StartCol
		before := p.Line < b.EndLine || p.Line == b.EndLine && p.Column < b.EndCol
		if after && before {
			return true
		}
	}
	return false
}

// arrange sorts candidates into the order in which they are tried, one list for each operator, in
// which modules take turns. The order depends only on the seed.
func arrange(list []*candidate, seed uint64) [][]*candidate {
	rng := rand.New(rand.NewPCG(seed, 0))
	byOperator := groups(list, func(c *candidate) string { return c.Operator })
	rng.Shuffle(len(byOperator), func(i, j int) { byOperator[i], byOperator[j] = byOperator[j], byOperator[i] })
	for i, g := range byOperator {
		byModule := groups(g, func(c *candidate) string { return c.Module })
		rng.Shuffle(len(byModule), func(i, j int) { byModule[i], byModule[j] = byModule[j], byModule[i] })
		for _, m := range byModule {
			rng.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
		}
		byOperator[i] = turns(byModule)
	}
	return byOperator
}

// groups splits a list by key, sorted by key.
func groups(list []*candidate, key func(*candidate) string) [][]*candidate {
	by := make(map[string][]*candidate)
	for _, c := range list {
		by[key(c)] = append(by[key(c)], c)
	}
	var out [][]*candidate
	for _, k := range slices.Sorted(maps.Keys(by)) {
		out = append(out, by[k])
	}
	return out
}

// turns merges several lists: the first of each, then the second of each.
func turns(lists [][]*candidate) (out []*candidate) {
	for i := 0; ; i++ {
		n := len(out)
		for _, l := range lists {
			if i < len(l) {
				out = append(out, l[i])
			}
		}
		if len(out) == n {
			return out
		}
	}
}
