package source

import (
	"bytes"
	"context"
	"go/ast"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/trace"
)

// write writes the files of an archive to a directory, and returns a table of its Go files.
func write(t *testing.T, dir string, a *txtar.Archive) *trace.Sites {
	t.Helper()
	sites := &trace.Sites{Module: "example.com/m", Root: dir, Blocks: make([]trace.Block, 1)}
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, ".go") {
			sites.Files = append(sites.Files, trace.File{Path: f.Name, Name: path.Join("example.com/m", f.Name)})
		}
	}
	return sites
}

var loading = txtar.Parse([]byte(`
-- go.mod --
module example.com/m

go 1.24
-- a/a.go --
package a

import "net/http"

type Server struct{ h http.Header }

func (s *Server) Header() http.Header { return s.h }
-- a/a_test.go --
package a

var inner = new(Server).h.Clone()
-- a/x_test.go --
package a_test

import (
	"example.com/m/a"
	"example.com/m/b"
)

var outer = b.Of(new(a.Server))
-- b/b.go --
package b

import (
	"example.com/m/a"
	"math/rand/v2"
)

func Of(s *a.Server) string { return s.Header().Get("b") }

var n = rand.N(5)
`))

// typesOf returns the types of the variables of the files.
func typesOf(l *loader) map[string]string {
	out := make(map[string]string)
	for _, f := range l.files {
		for _, d := range f.Tree.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				for _, s := range g.Specs {
					if s, ok := s.(*ast.ValueSpec); ok && f.Typed {
						out[s.Names[0].Name] = f.Info.Defs[s.Names[0]].Type().String()
					}
				}
			}
		}
	}
	return out
}

// TestLoad loads packages with tests of both kinds. What they import comes from export data. Only the user's
// own types are known where that is of an unknown version, and without the go command.
func TestLoad(t *testing.T) {
	all := map[string]string{"inner": "net/http.Header", "outer": "string", "n": "int"}
	for name, c := range map[string]struct {
		change func(*loader)
		want   map[string]string
	}{
		"export data": {func(*loader) {}, all},
		"unknown format": {func(l *loader) {
			l.Exported = func(context.Context, []string) (map[string]string, error) { return nil, nil }
		}, map[string]string{"outer": "string"}},
		"kept": {func(l *loader) {
			l.Known = keptOf(t, l.Config)
			l.deps.known = l.Known
			l.Dir = filepath.Join(l.Dir, "gone")
		}, all},
		"no go command": {func(l *loader) { l.Dir = filepath.Join(l.Dir, "gone") }, map[string]string{"outer": "string"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			l := newLoader(Config{Dir: dir, Sites: write(t, dir, loading)})
			c.change(l)
			l.load(context.Background())
			got := typesOf(l)
			for v, want := range c.want {
				if got[v] != want {
					t.Errorf("%s is %s, want %s", v, got[v], want)
				}
			}
			if len(got) != len(c.want) || len(l.files) != 4 || (len(l.errs) > 0) != (len(c.want) < len(all)) {
				t.Errorf("types %v of %d files, errors %v", got, len(l.files), l.errs)
			}
		})
	}
}

// kept has the answers of the go command about a module, as they are used where there is none.
type kept struct{ *Listed }

// keptOf asks the go command.
func keptOf(t *testing.T, cfg Config) kept {
	t.Helper()
	l, err := List(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return kept{l}
}

func (k kept) GOARCH() string                             { return runtime.GOARCH }
func (k kept) Roots(string, []string) []*packages.Package { return k.Listed.Roots }

func (k kept) Export(path string) io.Reader {
	data, err := os.ReadFile(k.Exported[path])
	if err != nil {
		return nil
	}
	r, err := gcexportdata.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return r
}

// TestLoadOne loads one package alone. Packages that import it see the same types.
func TestLoadOne(t *testing.T) {
	dir := t.TempDir()
	x := Load(context.Background(), Config{Dir: dir, Sites: write(t, dir, loading), Packages: []string{"example.com/m/a"}})
	if !x.Typed || x.File("b/b.go") != nil || x.File("a/x_test.go") == nil {
		t.Errorf("typed %v (%v), b.go %v", x.Typed, x.Err, x.File("b/b.go"))
	}
}

// TestLoadArch loads a module with a constant that needs 64 bits, for tests that ran where int
// has 64, or fewer.
func TestLoadArch(t *testing.T) {
	dir := t.TempDir()
	sites := write(t, dir, txtar.Parse([]byte("-- go.mod --\nmodule example.com/m\n\ngo 1.24\n-- a/a.go --\npackage a\n\nconst Far int = 1 << 40\n")))
	for arch, typed := range map[string]bool{"": true, "arm64": true, "386": false} {
		if x := Load(t.Context(), Config{Dir: dir, Sites: sites, Arch: arch}); x.Typed != typed {
			t.Errorf("%q: typed %v, want %v (%v)", arch, x.Typed, typed, x.Err)
		}
	}
}

// TestLoadNewer loads a module, and a file, of a version of Go that does not exist yet.
func TestLoadNewer(t *testing.T) {
	f := &ast.File{GoVersion: "go1.999"}
	if capVersion(f); f.GoVersion != "" {
		t.Errorf("version of the file: %s", f.GoVersion)
	}
	if !newer("go1.999.1") || newer("go1.24") {
		t.Error("which versions are newer")
	}
}

// TestLoadKept loads the files as they were when the tests were built, although one has been
// changed and one deleted.
func TestLoadKept(t *testing.T) {
	dir := t.TempDir()
	sites := write(t, dir, loading)
	kept := make(map[string][]byte)
	for _, f := range loading.Files {
		kept[f.Name] = f.Data
	}
	if err := os.WriteFile(filepath.Join(dir, "b/b.go"), []byte("package b\n\nfunc Of(int) {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "a/a_test.go")); err != nil {
		t.Fatal(err)
	}
	x := Load(context.Background(), Config{Dir: dir, Sites: sites, Read: func(p string) ([]byte, error) { return kept[p], nil }})
	for _, f := range []string{"a/a.go", "a/a_test.go", "a/x_test.go"} {
		if !x.File(f).Typed {
			t.Errorf("%s has no types: %v", f, x.Err)
		}
	}
	for id, obj := range x.File("a/x_test.go").Info.Defs {
		if id.Name == "outer" && !types.Identical(obj.Type(), types.Typ[types.String]) {
			t.Errorf("outer is %v", obj.Type())
		}
	}
}
