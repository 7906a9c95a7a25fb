package instrument

import "go/ast"

// A leaf is a function so small that the compiler inlines it where it is called: a getter, or a
// constructor, whose result can then stay on the caller's stack. The probe of other functions
// costs 111 points, and an inlined function may have
// 80. The probe of a leaf is a call, for 60, so the program allocates
// where it did without probes.

// maxLeafNodes is how many syntax nodes the body of a leaf may have: about as many as the
// remaining points.
const maxLeafNodes = 20

// isLeaf reports whether a body is small, is a single block, and calls nothing.
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
