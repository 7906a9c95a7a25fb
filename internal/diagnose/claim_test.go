package diagnose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// Each kind of reason is one that one rule gives, once.
func TestClaims(t *testing.T) {
	given := make(map[finding.ReasonKind]int)
	for _, r := range Rules() {
		for _, c := range r.claims {
			given[c.Kind]++
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../finding/suspect.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "ReasonKind" {
				kind, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if kinds++; err != nil || given[finding.ReasonKind(kind)] != 1 {
					t.Errorf("%s is a reason of %d rules, %v", kind, given[finding.ReasonKind(kind)], err)
				}
			}
		}
		return true
	})
	if kinds == 0 || len(given) != kinds {
		t.Errorf("%d kinds of reasons, and rules give %d", kinds, len(given))
	}
}
