package inject

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func addInside(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		c, name := s.called(l.stmts[i])
		if name != "(*sync.WaitGroup).Add" || i+1 == len(l.stmts) {
			return
		}
		g, ok := l.stmts[i+1].(*ast.GoStmt)
		if !ok {
			return
		}
		if fn, ok := g.Call.Fun.(*ast.FuncLit); ok {
			e := s.drop(l, i)
			at := s.offset(fn.Body.Lbrace) + 1
			e.cuts = append(e.cuts, cut{extent{at, at}, " " + s.code(c) + ";"})
			edits = append(edits, e)
		}
	})
	return edits
}

func doneEarly(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		if c, name := s.deferred(l.stmts[i]); i+1 < len(l.stmts) &&
			(name == "(*sync.WaitGroup).Done" || name == "close") {
			edits = append(edits, s.replace(l.stmts[i], s.code(c)))
		}
	})
	return edits
}

func signalEarly(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		if i > 0 && s.signals(l.stmts[i]) && s.movable(l.stmts[i-1]) {
			edits = append(edits, s.swap(l.stmts[i-1], l.stmts[i]))
		}
	})
	return edits
}

// swap makes an edit that exchanges two statements.
func (s *source) swap(a, b ast.Stmt) Edit {
	return Edit{cuts: []cut{{s.extent(a), s.code(b)}, {s.extent(b), s.code(a)}}}
}

// signals reports whether a statement signals something to other goroutines.
func (s *source) signals(st ast.Stmt) bool {
	if _, ok := st.(*ast.SendStmt); ok {
		return true
	}
	_, name := s.called(st)
	switch name {
	case "close", "(*sync.WaitGroup).Done", "(*sync.Cond).Signal", "(*sync.Cond).Broadcast":
		return true
	}
	return false
}

// movable reports whether another statement can come before st: it declares nothing, and is not a
// lock.
func (s *source) movable(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.AssignStmt:
		return st.Tok != token.DEFINE
	case *ast.IncDecStmt:
		return true
	}
	c, name := s.called(st)
	return c != nil && !strings.HasPrefix(name, "(*sync.")
}

// unlocks maps functions that take a lock to those that release it.
var unlocks = map[string]string{
	"(*sync.Mutex).Lock":    "(*sync.Mutex).Unlock",
	"(*sync.RWMutex).Lock":  "(*sync.RWMutex).Unlock",
	"(*sync.RWMutex).RLock": "(*sync.RWMutex).RUnlock",
}

// pair returns the statement of a list that releases the lock which the i-th takes, and whether
// it is deferred; 0 if there is none.
func (s *source) pair(l list, i int) (j int, deferred bool) {
	c, name := s.called(l.stmts[i])
	unlock := unlocks[name]
	if unlock == "" {
		return 0, false
	}
	for j := i + 1; j < len(l.stmts); j++ {
		if d, name := s.deferred(l.stmts[j]); name == unlock && s.receiver(d) == s.receiver(c) {
			return j, true
		}
		if u, name := s.called(l.stmts[j]); name == unlock && s.receiver(u) == s.receiver(c) {
			return j, false
		}
	}
	return 0, false
}

func lockDropped(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		j, _ := s.pair(l, i)
		if j == 0 {
			return
		}
		e := Edit{cuts: []cut{{extent: s.extent(l.stmts[i])}, {extent: s.extent(l.stmts[j])}}}
		if j == i+1 {
			e.near = s.neighbours(l, i, j)
		} else {
			e.near = append(s.neighbours(l, i, i), s.neighbours(l, j, j)...)
		}
		edits = append(edits, e)
	})
	return edits
}

func lockEarly(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		j, deferred := s.pair(l, i)
		switch {
		case j == 0:
		case deferred && j+1 < len(l.stmts):
			c, _ := s.deferred(l.stmts[j])
			edits = append(edits, s.replace(l.stmts[j], s.code(c)))
		case !deferred && j > i+1 && s.movable(l.stmts[j-1]):
			edits = append(edits, s.swap(l.stmts[j-1], l.stmts[j]))
		}
	})
	return edits
}

func atomicSplit(s *source) (edits []Edit) {
	s.calls(func(c *ast.CallExpr, name string) {
		sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok || !strings.HasPrefix(strings.TrimLeft(name, "(*"), "sync/atomic.") {
			return
		}
		if text := s.split(c, sel, s.code(sel.X)); text != "" {
			edits = append(edits, s.replace(c, text, "runtime"))
		}
	})
	return edits
}

// split returns an atomic update as a function that does it in two steps, or "" if it is not one.
// x is the code before the dot.
func (s *source) split(c *ast.CallExpr, sel *ast.SelectorExpr, x string) string {
	var args []string
	for _, a := range c.Args {
		args = append(args, s.code(a))
	}
	load, store := x+".Load()", x+".Store(%s)"
	op := sel.Sel.Name
	if _, method := s.info.Selections[sel]; !method {
		kind := strings.TrimPrefix(strings.TrimPrefix(op, "Add"), "CompareAndSwap")
		op = strings.TrimSuffix(op, kind)
		load, store = fmt.Sprintf("%s.Load%s(%s)", x, kind, args[0]),
			fmt.Sprintf("%s.Store%s(%s, %%s)", x, kind, args[0])
		args = args[1:]
	}
	const yield = "; injectruntime.Gosched(); "
	switch result, _ := s.info.TypeOf(c).(*types.Basic); {
	case op == "Add" && len(args) == 1 && result != nil:
		return "func() " + result.Name() + " { v := " + load + " + (" + args[0] + ")" +
			yield + fmt.Sprintf(store, "v") + "; return v }()"
	case op == "CompareAndSwap" && len(args) == 2:
		return "func() bool { if " + load + " != (" + args[0] + ") { return false }" +
			yield + fmt.Sprintf(store, args[1]) + "; return true }()"
	}
	return ""
}

func bufferDropped(s *source) (edits []Edit) {
	s.calls(func(c *ast.CallExpr, name string) {
		if name != "make" || len(c.Args) != 2 {
			return
		}
		if _, ok := s.info.TypeOf(c.Args[0]).Underlying().(*types.Chan); ok {
			edits = append(edits, s.replace(c, "make("+s.code(c.Args[0])+")"))
		}
	})
	return edits
}
