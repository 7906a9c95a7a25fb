package source

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
	"time"
)

// call records a call, and what its function is known to do.
func (w *walker) call(n *ast.CallExpr) {
	if t := w.f.Info.Types[n.Fun]; t.IsType() {
		return
	}
	as := w.as[n]
	path, _, _ := w.path(n.Fun)
	if b := w.builtin(n); b != "" {
		w.callBuiltin(n, b, as == "defer")
		return
	}
	kind := map[string]Kind{"go": Go, "defer": Defer}[as]
	if kind == Read {
		kind = Call
	}
	o := w.add(Op{Kind: kind, Path: path, How: "call", From: n.Args, Node: n})
	if len(path) == 0 {
		return
	}
	callee := path[len(path)-1]
	o.How = funcName(callee)
	fn := w.x.decls[callee]
	if fn == nil {
		w.effects(n, path, o.How, as == "defer")
	}
	for i, arg := range n.Args {
		w.argument(o, fn, i, arg)
	}
}

func (w *walker) builtin(n *ast.CallExpr) string {
	if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
		if b, ok := w.f.Info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

func (w *walker) isBuiltin(n *ast.CallExpr, name string) bool { return w.builtin(n) == name }

func (w *walker) callBuiltin(n *ast.CallExpr, name string, deferred bool) {
	if len(n.Args) == 0 {
		return
	}
	path, elem, _ := w.path(n.Args[0])
	switch name {
	case "close":
		w.add(Op{Kind: Release, Path: path, Elem: elem, How: name, Deferred: deferred, Node: n})
	case "delete", "clear", "copy":
		w.add(Op{Kind: Write, Path: path, Elem: true, How: name, From: n.Args[1:], Deferred: deferred, Node: n})
	}
}

// funcName returns a function by its package and receiver, "sync.Mutex.Lock", or the name of what
// is called.
func funcName(obj types.Object) string {
	fn, ok := obj.(*types.Func)
	if !ok || fn.Pkg() == nil {
		return obj.Name()
	}
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	return fn.Pkg().Path() + "." + name
}

// effects records what a function of another module does to its receiver, or to what its first
// argument points to.
func (w *walker) effects(n *ast.CallExpr, path []types.Object, how string, deferred bool) {
	callee, on := path[len(path)-1], path[:len(path)-1]
	add := func(kind Kind, path []types.Object, elem, maybe bool) {
		w.add(Op{Kind: kind, Path: path, Elem: elem, How: how, Maybe: maybe, Deferred: deferred, From: n.Args, Node: n})
	}
	sig := signatureOf(callee)
	method := sig == nil || sig.Recv() != nil
	if origin := originOf(callee); origin != "" && !w.fixed(n, how) {
		w.add(Op{Kind: Draw, How: how, Origin: origin, Deferred: deferred, From: n.Args, Node: n})
	}
	switch {
	case waits(callee, method, len(n.Args)):
		add(Wait, on, false, false)
	case releases(callee, method, w.isStmt(n)):
		add(Release, on, false, false)
	case strings.HasPrefix(how, "sync/atomic."):
		if !method && len(n.Args) > 0 {
			e, _ := addressed(n.Args[0])
			on, _, _ = w.path(e)
		}
		if !strings.HasPrefix(callee.Name(), "Load") {
			add(Write, on, false, false)
		}
	case method && changes(callee, sig):
		add(Write, on, sig != nil && isPointer(w.f.Info.TypeOf(receiver(n))), !knownToChange(how))
	case strings.HasPrefix(how, "fmt.Fprint") && len(n.Args) > 1 && isVariable(n.Args[0]):
		path, _, _ := w.path(n.Args[0])
		w.add(Op{Kind: Write, Path: path, Elem: true, How: how, Deferred: deferred, From: n.Args[1:], Node: n})
	case fills(how) && len(n.Args) > 0:
		path, _, _ := w.path(n.Args[0])
		w.add(Op{Kind: Write, Path: path, Elem: true, How: how, Deferred: deferred, From: []ast.Expr{n}, Node: n})
	case sorts(how) && len(n.Args) > 0:
		path, _, _ := w.path(n.Args[0])
		add(Write, path, true, false)
	}
	if startsGoroutine(how) && len(n.Args) > 0 {
		arg := n.Args[len(n.Args)-1]
		path, _, _ := w.path(arg)
		w.add(Op{Kind: Go, Path: path, How: how, From: []ast.Expr{arg}, Node: n})
	}
}

// fixed reports whether a call brings in nothing from outside after all: runtime.Stack for the
// calling goroutine alone, or the keys of a map that are sorted at once.
func (w *walker) fixed(n *ast.CallExpr, how string) bool {
	if how == "runtime.Stack" && len(n.Args) == 2 {
		all := w.f.Info.Types[n.Args[1]].Value
		return all != nil && !constant.BoolVal(all)
	}
	if len(w.open) == 0 || !strings.HasPrefix(how, "maps.") {
		return false
	}
	by, ok := w.open[len(w.open)-1].(*ast.CallExpr)
	if !ok {
		return false
	}
	path, _, _ := w.path(by.Fun)
	return len(path) > 0 && funcName(path[len(path)-1]) == "slices.Sorted"
}

func receiver(n *ast.CallExpr) ast.Expr {
	if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		return sel.X
	}
	return n.Fun
}

// signatureOf returns the signature of a function, or nil if its types are unknown.
func signatureOf(callee types.Object) *types.Signature {
	sig, _ := callee.Type().(*types.Signature)
	return sig
}

func isVariable(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.Ident)
	return ok
}

// isStmt reports whether a call is a statement of its own, or is deferred.
func (w *walker) isStmt(n *ast.CallExpr) bool {
	if w.as[n] != "" || len(w.open) == 0 {
		return true
	}
	_, ok := w.open[len(w.open)-1].(*ast.ExprStmt)
	return ok
}

// argument records an argument of a call: an address through which the function may write, or a
// time limit.
func (w *walker) argument(o *Op, fn *funcNode, i int, arg ast.Expr) {
	callee := o.Obj()
	w.limitArg(o, i, arg)
	e, address := addressed(arg)
	path, elem, _ := w.path(e)
	if fn != nil {
		if p := param(fn, i); p != nil {
			w.point([]types.Object{p}, []ast.Expr{arg})
		}
		return
	}
	if _, isFunc := callee.(*types.Func); isFunc && address && len(path) > 0 &&
		!strings.HasPrefix(o.How, "sync/atomic.") {
		w.add(Op{Kind: Write, Path: path, Elem: elem, How: o.How, Maybe: true, From: others(o, i), Node: arg})
	}
}

// others returns the other arguments of a call, and its receiver.
func others(call *Op, i int) (list []ast.Expr) {
	if n, ok := call.Node.(*ast.CallExpr); ok && len(call.Path) > 1 {
		list = append(list, receiver(n))
	}
	return append(append(list, call.From[:i]...), call.From[i+1:]...)
}

// param returns a parameter of a function, or nil if it has no name.
func param(fn *funcNode, i int) types.Object {
	for _, field := range fn.decl.Type.Params.List {
		for _, id := range field.Names {
			if i == 0 {
				return fn.file.Info.Defs[id]
			}
			i--
		}
	}
	return nil
}

// limitArg records an argument that is a duration.
func (w *walker) limitArg(o *Op, i int, arg ast.Expr) {
	if _, constant := w.duration(arg); constant {
		w.limit(o.Path[max(0, len(o.Path)-1):], o.How, []ast.Expr{arg})
		return
	}
	sig := signatureOf(o.Obj())
	if sig != nil && i < sig.Params().Len() && isDuration(sig.Params().At(i).Type()) {
		w.add(Op{Kind: Limit, Path: o.Path[len(o.Path)-1:], How: o.How, From: []ast.Expr{arg}, Node: arg})
	}
}

// limit records a constant duration that something is given.
func (w *walker) limit(to []types.Object, how string, from []ast.Expr) {
	if len(from) != 1 {
		return
	}
	if d, ok := w.duration(from[0]); ok {
		w.add(Op{Kind: Limit, Path: to, How: how, From: from, Value: d, Node: from[0]})
	}
}

func isDuration(t types.Type) bool { return types.TypeString(t, nil) == "time.Duration" }

// duration returns the value of a constant duration other than 0.
func (w *walker) duration(e ast.Expr) (time.Duration, bool) {
	t := w.f.Info.Types[e]
	if t.Value == nil || t.Type == nil || !isDuration(t.Type) {
		return 0, false
	}
	n, exact := constant.Int64Val(t.Value)
	return time.Duration(n), exact && n != 0
}
