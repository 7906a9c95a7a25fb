package bundle

import (
	"debug/elf"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A Baggage says what tests need that a bundle does not have, judging by the source. Positions
// are relative to Root.
type Baggage struct {
	Root string

	runsGo  []string            // places that run the go command
	goroot  []string            // places that look into GOROOT
	callers []string            // places that ask for the path of a source file
	libs    map[string][]string // names of binaries, by C library
}

// Packages that run the go command, or look into GOROOT.
var (
	runners = []string{"golang.org/x/tools/go/packages", "golang.org/x/tools/go/packages/packagestest",
		"golang.org/x/tools/go/analysis/analysistest"}
	readers = []string{"go/build", "go/importer"}
)

// Source reads a Go file. It ignores what can't be parsed.
func (b *Baggage) Source(name string) {
	f, err := syntax.Read(name, os.ReadFile)
	if err != nil {
		return
	}
	at := func(n ast.Node) string {
		rel, err := filepath.Rel(b.Root, name)
		if err != nil {
			rel = name
		}
		line, _ := f.Lines(n)
		return fmt.Sprintf("%s:%d", filepath.ToSlash(rel), line)
	}
	imported := b.imports(f.Tree, strings.HasSuffix(name, "_test.go"), at)
	b.calls(f.Tree, imported, at)
}

// imports notes imports of a file that need Go itself, and returns the paths of all its imports,
// by name in the file.
func (b *Baggage) imports(f *ast.File, test bool, at func(ast.Node) string) map[string]string {
	imported := make(map[string]string)
	for _, im := range f.Imports {
		p, _ := strconv.Unquote(im.Path.Value)
		local := path.Base(p)
		if im.Name != nil {
			local = im.Name.Name
		}
		imported[local] = p
		switch {
		case slices.Contains(runners, p), test && path.Base(p) == "testenv":
			b.runsGo = append(b.runsGo, at(im))
		case test && slices.Contains(readers, p):
			b.goroot = append(b.goroot, at(im))
		}
	}
	return imported
}

// calls notes the calls in a file that need something that is not in the bundle.
func (b *Baggage) calls(f *ast.File, imported map[string]string, at func(ast.Node) string) {
	runs := slices.ContainsFunc(f.Imports, func(im *ast.ImportSpec) bool { return im.Path.Value == `"os/exec"` })
	paths := imported["filepath"] == "path/filepath" || imported["path"] == "path"
	for call := range syntax.Nodes[*ast.CallExpr](f) {
		switch fn := calledIn(call, imported); {
		case runs && !strings.HasPrefix(fn, "strings.") && slices.ContainsFunc(call.Args, isGo):
			// directly, or through a function of their own
			b.runsGo = append(b.runsGo, at(call))
		case fn == "runtime.GOROOT":
			b.goroot = append(b.goroot, at(call))
		case fn == "runtime.Caller" && paths: // others print it
			b.callers = append(b.callers, at(call))
		}
	}
}

// calledIn returns the called function, with its package's path, or "" for a method.
func calledIn(call *ast.CallExpr, imported map[string]string) string {
	of, name := syntax.Called(call)
	if x, ok := of.(*ast.Ident); ok && imported[x.Name] != "" {
		return imported[x.Name] + "." + name
	}
	return ""
}

func isGo(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && (lit.Value == `"go"` || lit.Value == "`go`")
}

// Binary reads an ELF binary.
func (b *Baggage) Binary(name, file string) {
	f, err := elf.Open(file)
	if err != nil {
		return
	}
	defer f.Close()
	libs, err := f.ImportedLibraries()
	if err != nil {
		return
	}
	for _, lib := range libs {
		if b.libs == nil {
			b.libs = make(map[string][]string)
		}
		if !slices.Contains(b.libs[lib], name) {
			b.libs[lib] = append(b.libs[lib], name)
		}
	}
}

// Notes returns a line for each kind of thing that was found.
func (b *Baggage) Notes() (notes []string) {
	if len(b.runsGo) > 0 {
		notes = append(notes, "what runs the go command fails where there is none: "+places(b.runsGo))
	}
	if len(b.goroot) > 0 {
		notes = append(notes, "GOROOT does not come along: "+places(b.goroot))
	}
	if len(b.callers) > 0 {
		notes = append(notes,
			"runtime.Caller gives paths of the machine that the tests are built on, and elsewhere there are no files: "+
				places(b.callers))
	}
	if len(b.libs) > 0 {
		binaries := make(map[string]bool)
		for _, list := range b.libs {
			for _, name := range list {
				binaries[name] = true
			}
		}
		notes = append(notes, fmt.Sprintf(
			"C libraries do not come along, %s: wanted by %s; with CGO_ENABLED=0 Go's own code may do",
			some(slices.Sorted(maps.Keys(b.libs))), some(slices.Sorted(maps.Keys(binaries)))))
	}
	return notes
}

// places lists the first place in each directory.
func places(list []string) string {
	var first []string
	seen := make(map[string]bool)
	for _, p := range list {
		if dir := path.Dir(p); !seen[dir] {
			seen[dir] = true
			first = append(first, p)
		}
	}
	if len(first) == len(list) {
		return some(first)
	}
	return fmt.Sprintf("%s (%d places in all)", some(first), len(list))
}

// some lists the first few.
func some(list []string) string {
	const most = 6
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}
