package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// TestEveryReasonHasWords has each kind of reason that package finding declares.
func TestEveryReasonHasWords(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../internal/finding/suspect.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		c, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := c.Type.(*ast.Ident); !ok || id.Name != "ReasonKind" {
			return true
		}
		kind, err := strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		n++
		s := &finding.Suspect{Reason: finding.Reason{
			Kind: finding.ReasonKind(kind), Tests: []string{"TestA"}, Code: "x",
			Data: &finding.DataDivergence{Kind: finding.DataVaries}, Verdict: new(finding.Verdict), Party: new(finding.Party),
		}}
		if Why(s) == "" {
			t.Errorf("%s: nothing is said of reason %q", c.Names[0].Name, kind)
		}
		return true
	})
	if n < 20 {
		t.Errorf("only %d kinds were found", n)
	}
}
