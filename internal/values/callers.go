package values

import (
	"go/ast"
	"go/types"

	"github.com/fdebug/fdebug/internal/source"
)

// maxCallers is how many calls of one function are followed.
const maxCallers = 8

// passed follows a parameter to what callers that were run pass for it.
func (s *originSearch) passed(f *file, fn ast.Node, v *types.Var, depth int) {
	fd, ok := fn.(*ast.FuncDecl)
	if !ok || s.wide {
		return
	}
	i := paramIndex(f, fd, v)
	decl := f.Info.Defs[fd.Name]
	if i < 0 || decl == nil {
		return
	}
	calls := 0
	for _, o := range s.c.prog.Of(decl, source.Call, source.Go, source.Defer) {
		at := s.c.prog.file(o.Node)
		if at == nil || i >= len(o.From) || o.Block == 0 || !s.c.run[s.c.in.Sites.Blocks[o.Block].Func] {
			continue
		}
		if calls++; calls > maxCallers {
			return
		}
		s.expr(at, s.c.prog.FuncAround(o.Node), o.From[i], depth)
	}
}

// paramIndex returns which parameter of a function v is, -1 if it is none.
func paramIndex(f *file, fd *ast.FuncDecl, v *types.Var) int {
	i := 0
	for _, field := range fd.Type.Params.List {
		for _, name := range field.Names {
			if f.Info.Defs[name] == v {
				return i
			}
			i++
		}
	}
	return -1
}
