package bundle

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// TestKnown loads what was kept about a module whose files are elsewhere now, without a go command.
func TestKnown(t *testing.T) {
	built, here := t.TempDir(), t.TempDir()
	a := txtar.Parse([]byte(`-- go.mod --
module example.com/m

go 1.24
-- a/a.go --
package a

import "net/http"

type Server struct{ http.Handler }
-- a/x_test.go --
package a_test

import (
	"example.com/m/a"
	"example.com/m/b"
)

var outer = b.Of(new(a.Server))
-- b/b.go --
package b

import "example.com/m/a"

func Of(s *a.Server) string { return "b" }
`))
	sites := &trace.Sites{Root: built, Module: "example.com/m"}
	for _, f := range a.Files {
		for _, dir := range []string{built, here} {
			name := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if filepath.Ext(f.Name) == ".go" {
			sites.Files = append(sites.Files, trace.File{Path: f.Name, Name: "example.com/m/" + f.Name})
		}
	}
	k, err := Know(t.Context(), source.Config{Dir: built, Sites: sites}, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	table, exports, err := k.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if k, err = DecodeKnown(table, exports); err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeKnown(table, exports[1:]); err == nil {
		t.Error("what is too short is decoded")
	}
	os.RemoveAll(built)
	sites.Root = here
	t.Setenv("PATH", "")
	x := source.Load(t.Context(), source.Config{Dir: here, Sites: sites, Known: k})
	if !x.Typed || x.Err != nil || x.File("a/x_test.go") == nil {
		t.Errorf("typed: %v, %v", x.Typed, x.Err)
	}
}
