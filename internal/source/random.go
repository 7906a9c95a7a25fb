package source

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/types"
	"slices"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// Random returns the one function of math/rand that is called in some lines, with "v2." before one of its version 2, and
// the constant below which its results are, 0 if it is given none; "" if there are several.
func Random(f *syntax.File, lines trace.Span) (function string, limit int64) {
	if f == nil {
		return "", 0
	}
	calls := f.Rands(lines.Start, lines.End)
	if len(calls) != 1 {
		return "", 0
	}
	_, function = syntax.Called(calls[0])
	if len(calls[0].Args) == 1 {
		info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
		check := types.Config{Error: func(error) {}, Importer: noImports{}}
		check.Check(f.Name, f.Set, []*ast.File{f.Tree}, info) // as far as it gets without the rest of the package
		if v := info.Types[calls[0].Args[0]].Value; v != nil {
			limit, _ = constant.Int64Val(constant.ToInt(v))
		}
	}
	if slices.ContainsFunc(f.Tree.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"math/rand/v2"` }) {
		function = "v2." + function
	}
	return function, limit
}

// noImports imports nothing.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not imported") }

// Cases returns the lines of the cases of the one select that begins in some lines, as the runtime numbers them: those
// that send, and then those that receive, the last one first. It is nil if there are several selects.
func Cases(f *syntax.File, lines trace.Span) (list []int) {
	if f == nil {
		return nil
	}
	for s := range syntax.Nodes[*ast.SelectStmt](f.Tree) {
		if at, _ := f.Lines(s); at < lines.Start || at > lines.End {
			continue
		}
		if list != nil {
			return nil
		}
		sends := 0
		for _, c := range s.Body.List {
			c := c.(*ast.CommClause)
			line, _ := f.Lines(c)
			switch c.Comm.(type) {
			case nil:
			case *ast.SendStmt:
				list = slices.Insert(list, sends, line)
				sends++
			default:
				list = slices.Insert(list, sends, line)
			}
		}
	}
	return list
}
