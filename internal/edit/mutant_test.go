package edit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
)

// TestMutants makes all mutants of a file, and wants the lines that differ. All of them compile.
func TestMutants(t *testing.T) {
	const name = "testdata/mutants/cache.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	src := a.Files[0].Data
	lines := make([]int, bytes.Count(src, []byte("\n")))
	for i := range lines {
		lines[i] = i + 1
	}
	var got strings.Builder
	imports := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for seed := range uint64(8) { // of several mutants of a line, each is made with some seed
		for _, m := range Mutants(Source{"m.go": src}, map[string][]int{"m.go": lines}, 100, seed) {
			text := fmt.Sprintf("%2d %s: %s\n", m.Line, m.What, strings.TrimSpace(strings.Split(string(m.Bytes), "\n")[m.Line-1]))
			if !strings.Contains(got.String(), text) {
				got.WriteString(text)
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, "m.go", m.Bytes, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (&types.Config{Importer: imports}).Check("m", set, []*ast.File{f}, nil); err != nil {
				t.Errorf("%v: %s", err, text)
			}
		}
	}
	sorted := strings.SplitAfter(got.String(), "\n")
	slices.Sort(sorted)
	golden.Section(t, name, "want", strings.Join(sorted, ""))
}
