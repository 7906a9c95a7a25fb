package source

import (
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// A Config says what to load, and from where.
type Config struct {
	Dir   string   // of the module: where the go command runs
	Flags []string // the user's build flags: -tags, -mod, -overlay
	Sites *trace.Sites
	// Packages are the import paths of the packages to index; nil means all of Sites.
	Packages []string
	// Read returns the content of a file of Sites, by its path there, as it was when the tests
	// were built. nil reads the file below Sites.Root.
	Read func(path string) ([]byte, error)
	// Arch is the GOARCH that the tests run on, which determines the sizes of types; "" is this
	// machine's.
	Arch string
	// Exported returns the files with the export data of packages, by import path; nil asks the go
	// command, which compiles what it has compiled with other flags only.
	Exported func(ctx context.Context, paths []string) (map[string]string, error)
	// Known has the answers of the go command; nil asks it.
	Known Known
}

// A Known has what the go command said of packages, where it can't be asked.
type Known interface {
	GOARCH() string
	// Roots returns the packages with the given import paths below the root of the module, with their tests.
	Roots(root string, paths []string) []*packages.Package
	// Export returns the export data of a package, nil if it is unknown.
	Export(path string) io.Reader
}

// A Listed is what the go command says of packages.
type Listed struct {
	Roots    []*packages.Package          // with their tests, and all that they import
	Exported map[string]string            // files with the export data of what the user's packages import, by path
	Own      func(*packages.Package) bool // whether a package is the user's
}

// List asks the go command for the packages that Load would load.
func List(ctx context.Context, cfg Config) (*Listed, error) {
	l := newLoader(cfg)
	roots, err := l.list(ctx)
	if err != nil {
		return nil, err
	}
	l.exports(ctx, roots)
	return &Listed{slices.DeleteFunc(roots, testMain), l.deps.files, l.isOwn}, nil
}

// A File is a source file with its types.
type File struct {
	syntax.File        // its name is absolute
	Path        string // as in trace.Sites
	Info        *types.Info
	Typed       bool // its package and everything that it imports have complete types

	ops   []*Op  // in the order of the text
	spans []span // of its blocks
}

// A loader reads the wanted packages from source, and what they import from export data.
type loader struct {
	Config
	fset   *token.FileSet
	paths  map[string]string            // paths in Sites, by absolute name
	wanted map[string]bool              // the ones to index
	files  map[string]*File             // the parsed files, by absolute name; nil without syntax
	byPath map[string]*packages.Package // what go list knows, by import path
	own    map[*packages.Package]bool   // whether it is loaded as the user's code
	done   map[*packages.Package]*types.Package
	deps   *dependencies
	errs   []error // at most maxErrs
}

const maxErrs = 3

// newLoader returns a loader for the files of cfg.Packages, or of all packages that were recorded. It
// reads them below the root of the module, unless cfg.Read does.
func newLoader(cfg Config) *loader {
	l := &loader{
		Config: cfg, fset: token.NewFileSet(), paths: make(map[string]string), wanted: make(map[string]bool),
		files:  make(map[string]*File),
		byPath: make(map[string]*packages.Package), own: make(map[*packages.Package]bool),
		done: make(map[*packages.Package]*types.Package),
	}
	l.deps = newDependencies(l.fset, cfg.Known)
	l.deps.sizes = types.SizesFor("gc", l.arch())
	for _, f := range cfg.Sites.Files {
		l.paths[filepath.Join(cfg.Sites.Root, filepath.FromSlash(f.Path))] = f.Path
		if len(cfg.Packages) == 0 {
			l.Packages = append(l.Packages, path.Dir(f.Name))
		}
		l.wanted[f.Path] = len(cfg.Packages) == 0 || slices.Contains(cfg.Packages, path.Dir(f.Name))
	}
	l.Packages = slices.Compact(slices.Sorted(slices.Values(l.Packages)))
	if l.Read == nil {
		l.Read = func(path string) ([]byte, error) {
			return os.ReadFile(filepath.Join(cfg.Sites.Root, filepath.FromSlash(path)))
		}
	}
	return l
}

// load loads the packages. It keeps errors in errs.
func (l *loader) load(ctx context.Context) {
	roots, err := l.list(ctx)
	if err != nil {
		l.fail(err)
	}
	roots = l.complete(roots)
	l.exports(ctx, roots)
	packages.Visit(roots, func(p *packages.Package) bool {
		if l.byPath[p.PkgPath] == nil {
			l.byPath[p.PkgPath] = p
		}
		return true
	}, nil)
	for _, p := range roots {
		if !testMain(p) && slices.ContainsFunc(p.GoFiles, l.unread) {
			l.check(p)
		}
	}
}

// testMain reports whether the go command has generated a package, as the main package of a test
// binary. Then its file is in the build cache. A user's package can have such a name too.
func testMain(p *packages.Package) bool {
	return strings.HasSuffix(p.ID, ".test") && p.Name == "main" && !slices.ContainsFunc(p.GoFiles, func(f string) bool {
		return filepath.Dir(f) == p.Dir
	})
}

// list returns the packages, with their tests and all that they import. Neither list nor exports
// asks for sizes. Otherwise the go command would check the state of every package, which takes
// twice as long, and another command would ask for its architecture.
func (l *loader) list(ctx context.Context) ([]*packages.Package, error) {
	if l.Known != nil {
		return l.Known.Roots(l.Sites.Root, l.Packages), nil
	}
	return packages.Load(&packages.Config{
		Context: ctx, Dir: l.Dir, BuildFlags: l.Flags, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
	}, l.Packages...)
}

// exports finds the export data of what the user's packages import. That of the user's packages
// would have to be compiled first.
func (l *loader) exports(ctx context.Context, roots []*packages.Package) {
	var paths []string
	packages.Visit(roots, func(p *packages.Package) bool {
		for _, dep := range p.Imports {
			if l.isOwn(p) && !l.isOwn(dep) {
				paths = append(paths, dep.PkgPath)
			}
		}
		return l.isOwn(p)
	}, nil)
	if slices.Sort(paths); len(paths) == 0 || l.Known != nil {
		return
	}
	ask := l.Exported
	if ask == nil {
		ask = l.askExported
	}
	paths = slices.Compact(paths)
	files, err := ask(ctx, paths)
	if err != nil {
		l.fail(err)
	}
	for _, p := range paths {
		l.deps.files[p] = files[p]
	}
}

func (l *loader) askExported(ctx context.Context, paths []string) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "fdebug-") // where the go command works: it leaves what it has made when it is killed
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list, err := packages.Load(&packages.Config{
		Context: ctx, Dir: l.Dir, Env: append(os.Environ(), "GOTMPDIR="+dir), BuildFlags: l.Flags,
		Mode: packages.NeedName | packages.NeedExportFile,
	}, paths...)
	files := make(map[string]string)
	for _, p := range list {
		files[p.PkgPath] = p.ExportFile
	}
	return files, err
}

func (l *loader) arch() string {
	if l.Known != nil {
		return l.Known.GOARCH()
	}
	return cmp.Or(l.Arch, runtime.GOARCH)
}

func (l *loader) fail(err error) {
	if len(l.errs) < maxErrs {
		l.errs = append(l.errs, err)
	}
}

// unread reports whether a wanted file was not parsed yet.
func (l *loader) unread(name string) bool {
	_, parsed := l.files[name]
	return l.wanted[l.paths[name]] && !parsed
}

// complete adds the wanted files that the go command does not know, or no longer knows, to the
// package of their directory and name. It sorts packages with their tests before those without.
func (l *loader) complete(roots []*packages.Package) []*packages.Package {
	known := make(map[string]bool)
	pkgOf := make(map[string]*packages.Package)
	slices.SortStableFunc(roots, func(a, b *packages.Package) int { return cmp.Compare(variant(a), variant(b)) })
	for _, p := range roots {
		for _, f := range p.GoFiles {
			known[f] = true
		}
		if len(p.GoFiles) > 0 && pkgOf[p.Dir+" "+p.Name] == nil {
			pkgOf[p.Dir+" "+p.Name] = p
		}
	}
	for _, f := range l.Sites.Files {
		name := filepath.Join(l.Sites.Root, filepath.FromSlash(f.Path))
		if known[name] || !l.wanted[f.Path] {
			continue
		}
		tree := l.clause(name)
		if tree == nil {
			continue
		}
		key := filepath.Dir(name) + " " + tree.Name.Name
		p := pkgOf[key]
		if p == nil {
			p = &packages.Package{ID: key, Name: tree.Name.Name, PkgPath: path.Dir(f.Name), Dir: filepath.Dir(name)}
			if strings.HasSuffix(p.Name, "_test") {
				p.PkgPath += "_test"
			}
			pkgOf[key] = p
			roots = append(roots, p)
		}
		p.GoFiles = append(p.GoFiles, name)
	}
	return roots
}

// variant is for sorting packages: first with its tests, then as it is imported.
func variant(p *packages.Package) int {
	if strings.HasSuffix(p.ID, "]") {
		return 0
	}
	return 1
}

// clause parses the beginning of a file, or returns nil.
func (l *loader) clause(name string) *ast.File {
	src, err := l.Read(l.paths[name])
	if err != nil {
		l.fail(err)
		return nil
	}
	tree, _ := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly)
	return tree
}
