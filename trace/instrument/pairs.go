package instrument

import (
	"go/ast"
	"go/token"
	"slices"
)

// A block that calls nothing before it branches shares a probe with each of its branches. One
// check for room and one update of the position, which depends on the previous update, replace
// two of each. The trace is the same.

// A pairing is how the event of a block is written.
type pairing int

const (
	single pairing = iota // by its own probe
	marked                // by its own probe, which leaves the position to the branches
	held                  // by the probes of the branches
)

// A half is the first event of a pair. The probe of the second event completes it.
type half struct {
	block int
	how   pairing
}

// pairing returns how the event of a block is written, and the positions of the probes that write
// it, or the position, together with their own. next is what follows the block in its list.
func (r *rewriter) pairing(block, next []item) (pairing, []token.Pos) {
	if !r.mayBeCallFree() {
		return single, nil
	}
	at := branches(block[len(block)-1].stmt, next)
	if len(at) == 0 {
		return single, nil
	}
	loud := func(n ast.Node) bool { return !r.isCallFree(n) }
	impure := func(n ast.Node) bool { return !r.isPureNode(n) }
	switch nodes := evaluated(block); {
	case !slices.ContainsFunc(nodes, impure):
		return held, at
	case !r.local && !slices.ContainsFunc(nodes, loud):
		return marked, at
	}
	return single, nil
}

// branches returns the positions of the probes that control reaches after s, if it certainly
// reaches one of them, and reaches each only from s.
func branches(s ast.Stmt, next []item) []token.Pos {
	switch s := s.(type) {
	case *ast.IfStmt:
		return ifBranches(s, next)
	case *ast.SwitchStmt:
		return caseBranches(s.Body)
	case *ast.TypeSwitchStmt:
		return caseBranches(s.Body)
	}
	return nil
}

func ifBranches(s *ast.IfStmt, next []item) []token.Pos {
	if startsWithLabel(s.Body.List) {
		return nil
	}
	then := s.Body.Lbrace + 1
	switch e := s.Else.(type) {
	case *ast.IfStmt:
		return []token.Pos{then, e.Pos()}
	case *ast.BlockStmt:
		if startsWithLabel(e.List) {
			return nil
		}
		return []token.Pos{then, e.Lbrace + 1}
	}
	if len(next) == 0 || next[0].labeled || !leaves(s.Body.List) {
		return nil
	}
	return []token.Pos{then, next[0].at}
}

func caseBranches(body *ast.BlockStmt) []token.Pos {
	var at []token.Pos
	always := false
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		if fallsThrough(c.Body) || startsWithLabel(c.Body) {
			return nil
		}
		always = always || c.List == nil
		at = append(at, c.Colon+1)
	}
	if !always {
		return nil
	}
	return at
}

func startsWithLabel(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[0].(*ast.LabeledStmt)
	return ok
}

func fallsThrough(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	b, ok := list[len(list)-1].(*ast.BranchStmt)
	return ok && b.Tok == token.FALLTHROUGH
}

// leaves reports whether control does not continue after a list of statements, judging by the
// last one.
func leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok != token.FALLTHROUGH
	}
	return false
}

// evaluated returns the statements and expressions that a block runs before it branches. A case
// of a switch with a tag compares with the tag.
func evaluated(block []item) []ast.Node {
	last := len(block) - 1
	var nodes []ast.Node
	for _, it := range block[:last] {
		nodes = append(nodes, it.stmt)
	}
	switch s := block[last].stmt.(type) {
	case *ast.IfStmt:
		nodes = append(nodes, s.Init, s.Cond)
	case *ast.SwitchStmt:
		nodes = append(append(nodes, s.Init, s.Tag), choices(s)...)
	case *ast.TypeSwitchStmt:
		nodes = append(nodes, s.Init, s.Assign)
	}
	return slices.DeleteFunc(nodes, func(n ast.Node) bool { return n == nil })
}

func choices(s *ast.SwitchStmt) (nodes []ast.Node) {
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			if s.Tag != nil {
				x = &ast.BinaryExpr{X: s.Tag, Op: token.EQL, Y: x}
			}
			nodes = append(nodes, x)
		}
	}
	return nodes
}
