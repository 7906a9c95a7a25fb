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
		switch n := n.(type) {
		case *ast.FuncLit: // a function of its own
			return false
		case *ast.CaseClause, *ast.CommClause:
			probes++
		case ast.Stmt:
			if r.endsBlock(n) {
				probes++
			}
		}
		return probes <= maxInlined
	})
	return probes > maxInlined
}
