package instrument

import (
	"go/ast"
	"go/token"
)

// A block that calls nothing before it branches shares a probe with each of its
// branches: one test for room and one update of the position, of which each waits
// for the last one, in place of two. The trace is the same.

// A pairing is how the event of a block is written.
type pairing int

const (
	single pairing = iota // by a probe of its own
	marked                // by a probe of its own, which leaves the position to the branches
	held                  // by the probes of the branches
)

// A half is the first event of a pair, which the probe of the second one ends.
type half struct {
	block int
	how   pairing
}

// pairing returns how the event of a block is written, and where the probes stand
// that write it, or the position, with their own. next is what follows the block
// in its list.
func (r *rewriter) pairing(block, next []item) (pairing, []token.Pos) {
	if !r.mayBeQuiet() || r.leaf {
		return single, nil
	}
	last := len(block) - 1
	at := branches(block[last].stmt, next)
	switch {
	case len(at) == 0:
		return single, nil
	case r.isPureUntil(block[:last], block[last].stmt):
		return held, at
	case !r.local && r.isQuietUntil(block[:last], block[last].stmt):
		return marked, at
	}
	return single, nil
}

// branches returns where the probes stand that control comes to after s, if it
// certainly comes to one of them, and to each from nowhere else.
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

// leaves reports whether control does not go on after a list of statements, as
// its last one tells.
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

// isQuietUntil reports whether statements, and what the last one does before it
// branches, are quiet.
func (r *rewriter) isQuietUntil(before []item, last ast.Stmt) bool {
	for _, it := range before {
		if !r.isQuiet(it.stmt) {
			return false
		}
	}
	switch s := last.(type) {
	case *ast.IfStmt:
		return (s.Init == nil || r.isQuiet(s.Init)) && r.isQuiet(s.Cond)
	case *ast.SwitchStmt:
		return (s.Init == nil || r.isQuiet(s.Init)) && (s.Tag == nil || r.isQuiet(s.Tag)) && r.allCases(s, r.isQuietExpr)
	case *ast.TypeSwitchStmt:
		return (s.Init == nil || r.isQuiet(s.Init)) && r.isQuiet(s.Assign)
	}
	return false
}

func (r *rewriter) isQuietExpr(x ast.Expr) bool { return r.isQuiet(x) }

// isPureUntil reports whether statements, and what the last one does before it
// branches, are pure.
func (r *rewriter) isPureUntil(before []item, last ast.Stmt) bool {
	for _, it := range before {
		if !r.isPureStmt(it.stmt) {
			return false
		}
	}
	switch s := last.(type) {
	case *ast.IfStmt:
		return (s.Init == nil || r.isPureStmt(s.Init)) && r.isPure(s.Cond)
	case *ast.SwitchStmt:
		if s.Init != nil && !r.isPureStmt(s.Init) {
			return false
		}
		if s.Tag == nil {
			return r.allCases(s, r.isPure)
		}
		return r.isPure(s.Tag) && r.allCases(s, isLiteral)
	}
	return false
}

// allCases reports whether ok holds for the expressions of all cases.
func (r *rewriter) allCases(s *ast.SwitchStmt, ok func(ast.Expr) bool) bool {
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			if !ok(x) {
				return false
			}
		}
	}
	return true
}
