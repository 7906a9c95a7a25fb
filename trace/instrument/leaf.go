package instrument

import "go/ast"

// A leaf is a function so small that the compiler inlines it where it is called:
// a getter, or a constructor, whose result then is on the caller's stack if it
// does not leave it. The probe of other functions would cost 111 points, and an
// inlined function may have 80. That of a leaf is a call, for 60, so that the
// program goes on to allocate where it did.

// maxLeafNodes is how many nodes the syntax of a leaf's body may have: about as
// many as the points that are left.
const maxLeafNodes = 20

// isLeaf reports whether a body is a single block that calls nothing, and small.
func (r *rewriter) isLeaf(body *ast.BlockStmt) bool {
	nodes, simple := 0, true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt,
			*ast.SelectStmt, *ast.LabeledStmt, *ast.BranchStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt:
			simple = false
		case *ast.BlockStmt:
			simple = simple && n == body
		}
		nodes++
		return simple && nodes <= maxLeafNodes
	})
	return simple && nodes <= maxLeafNodes && !r.mayLeave(body)
}
