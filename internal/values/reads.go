package values

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

const maxReads = 2 // of one operand

// reads returns where an operand may be read from outside by calls whose
// results can't be recorded, since there are several: "a file at table.go:108".
// The search goes further than that of origins, through addresses and ranges.
func (c *chooser) reads(f *file, fn ast.Node, x ast.Expr) []string {
	s := newOriginSearch(c)
	s.wide = true
	s.expr(f, fn, x, 0)
	return s.reads
}

// addRead adds what a call reads. When the variables of a package are made, what
// would be recorded elsewhere is not: no function was run yet.
func (s *originSearch) addRead(f *file, fn ast.Node, call *ast.CallExpr) {
	source := reading(f.callee(call))
	if fn == nil && source == "" {
		source = describe(f.callee(call))
	}
	if source == "" || len(s.reads) == maxReads {
		return
	}
	text := fmt.Sprintf("%s at %s:%d", source, path.Base(f.Path), f.line(call.Pos()))
	if !slices.Contains(s.reads, text) {
		s.reads = append(s.reads, text)
	}
}

// reading says from where a function brings in several results, "" if it does not.
func reading(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	name := fn.Name()
	switch fn.Pkg().Path() {
	case "runtime":
		if name == "GoroutineProfile" {
			return "the list of goroutines"
		}
	case "os", "io/fs":
		return osReads[name]
	case "net", "net/http", "crypto/tls":
		for _, prefix := range []string{"Dial", "Listen", "Lookup", "Get", "Post", "Head", "Do", "Accept", "Read", "ReadFrom"} {
			if strings.HasPrefix(name, prefix) && fn.Signature().Results().Len() > 1 {
				return "the network"
			}
		}
	}
	return ""
}

// osReads is what functions of os and methods of os.File read.
var osReads = map[string]string{
	"ReadFile": "a file", "Open": "a file", "OpenFile": "a file", "Stat": "a file", "Lstat": "a file", "Read": "a file", "ReadAt": "a file",
	"ReadDir": "a directory", "Readdir": "a directory", "Readdirnames": "a directory", "LookupEnv": "the environment",
	"Hostname": "the host name", "Getwd": "the working directory",
}

// addressed reports whether the address of v, or of a field of it, is an
// argument of a call: then the call may set it.
func (f *file) addressed(call *ast.CallExpr, v *types.Var, field string) bool {
	return slices.ContainsFunc(call.Args, func(x ast.Expr) bool {
		u, ok := ast.Unparen(x).(*ast.UnaryExpr)
		return ok && u.Op == token.AND && f.isTarget(u.X, v, field)
	})
}

// givenWide returns what a call that gets v's address, or a range, gives v.
func (f *file) givenWide(n ast.Node, v *types.Var, field string) []ast.Expr {
	switch n := n.(type) {
	case *ast.RangeStmt:
		return []ast.Expr{n.X}
	case *ast.CallExpr:
		list := []ast.Expr{n.Fun} // the receiver of a method
		for _, x := range n.Args {
			if u, ok := ast.Unparen(x).(*ast.UnaryExpr); !ok || u.Op != token.AND || !f.isTarget(u.X, v, field) {
				list = append(list, x)
			}
		}
		return list
	}
	return nil
}
