package hang

import (
	"go/ast"
	"go/token"
	"strings"
)

// operandIn returns what the last statement of a block waits for, and its line.
func (s *source) operandIn(block int, reason string) (string, int) {
	span, _, ok := s.span(block)
	if !ok {
		return "", 0
	}
	return s.operandAt(span.File, span.Start, span.End, reason)
}

// operand returns what a wait in the given lines is for.
func (s *source) operand(path string, first, last int, reason string) string {
	text, _ := s.operandAt(path, first, last, reason)
	return text
}

// operandAt looks for the last operation in the given lines that can wait for
// the given reason. The lines of a block end where the operation does, or where
// the select begins.
func (s *source) operandAt(path string, first, last int, reason string) (text string, line int) {
	f := s.file(path)
	if f == nil {
		return "", 0
	}
	var at ast.Node
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if n == nil || f.line(n.End()) < first || f.line(n.Pos()) > last {
			return false
		}
		if op := f.waits(n, reason); op != "" && f.line(n.Pos()) >= first && (at == nil || n.Pos() >= at.Pos()) {
			text, at = op, n
		}
		return true
	})
	if at == nil {
		return "", 0
	}
	return text, f.line(at.Pos())
}

// waits returns the operand of a node that can wait for the given reason, ""
// if it can't.
func (f *file) waits(n ast.Node, reason string) string {
	reason = strings.TrimSuffix(reason, " (durable)")
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && strings.HasPrefix(reason, "chan receive") {
			return f.code(n.X)
		}
	case *ast.RangeStmt:
		if strings.HasPrefix(reason, "chan receive") {
			return f.code(n.X)
		}
	case *ast.SendStmt:
		if strings.HasPrefix(reason, "chan send") {
			return f.code(n.Chan)
		}
	case *ast.SelectStmt:
		return f.cases(n, reason)
	case *ast.CallExpr:
		return f.called(n, reason)
	}
	return ""
}

// cases returns what a select waits for. One with a single case is a plain
// operation to the runtime.
func (f *file) cases(n *ast.SelectStmt, reason string) string {
	if !strings.HasPrefix(reason, "select") && len(n.Body.List) > 1 {
		return ""
	}
	var list []string
	for _, c := range n.Body.List {
		if comm, ok := c.(*ast.CommClause); ok && comm.Comm != nil {
			list = append(list, f.code(comm.Comm))
		}
	}
	return strings.Join(list, " or ")
}

// methods are the methods that wait for a reason.
var methods = map[string][]string{
	"sync.Mutex.Lock":     {"Lock"},
	"sync.RWMutex.RLock":  {"RLock"},
	"sync.RWMutex.Lock":   {"Lock"},
	"sync.Cond.Wait":      {"Wait"},
	"sync.WaitGroup.Wait": {"Wait"},
	"semacquire":          {"Wait", "Lock", "RLock"}, // before Go 1.25
	"sleep":               {"Sleep"},
}

// called returns the operand of a call: the receiver of a method that waits for
// the reason, or, for reasons that a library hides, the call itself.
func (f *file) called(n *ast.CallExpr, reason string) string {
	sel, _ := n.Fun.(*ast.SelectorExpr)
	names, known := methods[reason]
	switch {
	case known && sel == nil:
		return ""
	case known && reason == "sleep" && sel.Sel.Name == "Sleep" && len(n.Args) == 1:
		return f.code(n.Args[0])
	case known:
		for _, name := range names {
			if sel.Sel.Name == name {
				return f.code(sel.X)
			}
		}
	case reason == "IO wait" || reason == "syscall":
		return f.code(n)
	}
	return ""
}
