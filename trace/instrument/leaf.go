package instrument

import (
	"go/ast"
	"slices"
)

// A leaf is a function so small that the compiler inlines it where it is called: a getter, or a
// constructor, whose result can then stay on the caller's stack. The probe of other functions
// costs 111 points, and an inlined function may have
// 80. The probe of a leaf is a call, for 8, so the program allocates
// where it did without probes.
//
// A closing function makes, takes or returns closures. If the compiler inlines it, it knows what they
// call, and they can stay on the stack: range statements over functions live on that. A closure
// made in an inlined function also has another name. So if such a function is small, its probes
// are those of a leaf, although it has branches and calls.

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

// What the compiler counts for an inlined function, besides a point for each node.
const (
	maxPoints   = 80
	probeCost   = 8
	closureCost = 15
	callCost    = 17 // of a call of a parameter; what others cost is not known here
)

// isClosing reports whether a function makes, takes or returns closures, and is small.
func (r *rewriter) isClosing(recv *ast.FieldList, typ *ast.FuncType, body *ast.BlockStmt) bool {
	points, closing := 0, r.hasFunc(recv, typ.Params, typ.Results)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit:
			closing = true
			points += closureCost
			return false
		case *ast.SelectStmt, *ast.GoStmt, *ast.DeferStmt: // never inlined
			points += maxPoints
		case *ast.CallExpr:
			if !r.isPlainCall(n) {
				points += callCost
			}
		}
		points += 1 + probeCost*r.probesOf(n)
		return points <= maxPoints
	})
	return closing && points <= maxPoints
}

// hasFunc reports whether one of the fields is certainly a function.
func (r *rewriter) hasFunc(fields ...*ast.FieldList) bool {
	return slices.ContainsFunc(fields, func(list *ast.FieldList) bool {
		return list != nil && slices.ContainsFunc(list.List, func(f *ast.Field) bool { return r.isFuncType(f.Type) })
	})
}

func (r *rewriter) isFuncType(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.FuncType:
		return true
	case *ast.Ident:
		return r.names.funcTypes[t.Name]
	case *ast.IndexExpr:
		return r.isFuncType(t.X)
	case *ast.IndexListExpr:
		return r.isFuncType(t.X)
	case *ast.SelectorExpr: // iter.Seq and iter.Seq2
		id, ok := t.X.(*ast.Ident)
		return ok && id.Name == "iter"
	}
	return false
}
