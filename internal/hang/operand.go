package hang

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/source"
)

// An operand is the channel, lock or other value that a statement waits for.
type operand struct {
	text string // as the source has it, "" if it is not known
	line int
	op   *source.Op // nil of a select, or if only the call is known that waits
}

// operandIn returns the operand that the last statement of a block waits for.
func (c *code) operandIn(block int, reason string) operand {
	if d := c.Decision(block); d != nil {
		if sel, ok := d.Stmt.(*ast.SelectStmt); ok && len(sel.Body.List) == 1 {
			return c.cases(sel) // a plain operation to the runtime
		}
	}
	return c.lastOperand(c.Block(block, waitKinds...), reason)
}

// operandAt returns the operand of a wait in a line.
func (c *code) operandAt(path string, line int, reason string) operand {
	return c.lastOperand(c.Lines(path, line, line, waitKinds...), reason)
}

// waitKinds are the operations that may wait: a call does in a library, and a select draws.
var waitKinds = []source.Kind{source.Wait, source.Call, source.Draw}

// lastOperand looks for the last operation that can wait for the given reason.
func (c *code) lastOperand(ops []*source.Op, reason string) operand {
	reason = strings.TrimSuffix(reason, durable)
	for _, op := range slices.Backward(ops) {
		if sel, ok := op.Node.(*ast.SelectStmt); ok {
			if strings.HasPrefix(reason, "select") {
				return c.cases(sel)
			}
			continue
		}
		if x := waitsFor(op, reason); x != nil {
			on := operand{text: c.Text(x), line: c.Line(op.Node)}
			if op.Kind == source.Wait {
				on.op = op
			}
			return on
		}
	}
	return operand{}
}

// cases returns the operand of a select: its cases.
func (c *code) cases(n *ast.SelectStmt) operand {
	on := operand{line: c.Line(n)}
	var list []string
	for _, s := range n.Body.List {
		if comm := s.(*ast.CommClause).Comm; comm != nil {
			list = append(list, c.Text(comm))
		}
	}
	on.text = strings.Join(list, " or ")
	return on
}

// methods are the functions that wait for a reason.
var methods = map[string][]string{
	"sync.Mutex.Lock":     {"Lock"},
	"sync.RWMutex.RLock":  {"RLock"},
	"sync.RWMutex.Lock":   {"Lock"},
	"sync.Cond.Wait":      {"Wait"},
	"sync.WaitGroup.Wait": {"Wait"},
	"semacquire":          {"Wait", "Lock", "RLock"}, // before Go 1.25
	"sleep":               {"Sleep"},
}

// waitsFor returns the operand of an operation that can wait for the given reason,
// nil if it can't. For reasons that a library hides it is the call itself.
func waitsFor(op *source.Op, reason string) ast.Expr {
	switch n := op.Node.(type) {
	case *ast.UnaryExpr:
		if op.Kind == source.Wait && strings.HasPrefix(reason, "chan receive") {
			return n.X
		}
	case *ast.RangeStmt:
		if op.Kind == source.Wait && strings.HasPrefix(reason, "chan receive") {
			return n.X
		}
	case *ast.SendStmt:
		if strings.HasPrefix(reason, "chan send") {
			return n.Chan
		}
	case *ast.CallExpr:
		switch {
		case op.Kind == source.Call && (reason == "IO wait" || reason == "syscall"):
			return n
		case op.Kind != source.Wait || !slices.Contains(methods[reason], lastName(op.How)):
		case reason == "sleep":
			return n.Args[0]
		default:
			return receiver(op)
		}
	}
	return nil
}
