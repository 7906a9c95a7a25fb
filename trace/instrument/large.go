package instrument

import "go/ast"

// A large function has so many probes that they must be calls. The compiler inlines the other
// forms, and some of its passes look at each inlined call again for each basic block. A switch of
// 2,000 cases would take it ten times as long as without probes.

// maxInlined is how many probes of a function may be inlined.
const maxInlined = 500

// isLarge reports whether a body has too many probes to be inlined, about.
func (r *rewriter) isLarge(body *ast.BlockStmt) bool {
	probes := 0
	ast.Inspect(body, func(n ast.Node) bool {
		_, literal := n.(*ast.FuncLit) // a function of its own
		probes += r.probesOf(n)
		return !literal && probes <= maxInlined
	})
	return probes > maxInlined
}

// probesOf returns how many probes belong to a node of a body, about: the first in it if it is a
// body itself, or the one after it.
func (r *rewriter) probesOf(n ast.Node) int {
	switch n := n.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return 1
	case *ast.ReturnStmt, *ast.BranchStmt:
		return 0
	case ast.Stmt:
		if r.endsBlock(n) {
			return 1
		}
	}
	return 0
}
