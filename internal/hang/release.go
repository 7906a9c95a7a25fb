package hang

import (
	"go/ast"
	"strings"
)

// A release is a statement that ends the waits of others.
type release struct {
	line     int // 0: none was found
	code     string
	deferred bool
}

// releases are the methods that end a wait, by the reason of the wait; those of
// "" end any, since what ends a select or a wait in a library is not known.
var releases = map[string][]string{
	"sync.Mutex.Lock":     {"Unlock", "Wait"}, // Cond.Wait unlocks
	"sync.RWMutex.Lock":   {"Unlock", "RUnlock", "Wait"},
	"sync.RWMutex.RLock":  {"Unlock", "Wait"},
	"sync.Cond.Wait":      {"Signal", "Broadcast"},
	"sync.WaitGroup.Wait": {"Done", "Add"},
	"semacquire":          {"Done", "Add", "Unlock", "RUnlock"},
}

// release returns the statement of a block that ended a wait: the last one that
// can, or else a deferred one of its function, or of the one that the goroutine
// was started with (-1: none).
func (s *source) release(block int, reason string, entry int) release {
	span, _, ok := s.span(block)
	if !ok {
		return release{}
	}
	f := s.file(span.File)
	if f == nil {
		return release{}
	}
	if r := f.lastRelease(span.Start, span.End, reason, false); r.line > 0 {
		return r
	}
	for _, n := range []int{s.sites.Blocks[block].Func, entry} {
		if n < 0 {
			break
		}
		fn := s.sites.Funcs[n]
		f := s.file(s.sites.Files[fn.File].Path)
		if f == nil {
			break
		}
		if r := f.lastRelease(fn.Line, fn.End, reason, true); r.line > 0 {
			return r
		}
	}
	return release{}
}

// lastRelease returns the last release in the given lines, deferred or not.
func (f *file) lastRelease(first, last int, reason string, deferred bool) release {
	var r release
	take := func(n ast.Node) {
		if l := f.line(n.Pos()); l >= first && l <= last && l >= r.line {
			r = release{l, f.code(n), deferred}
		}
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if n == nil || f.line(n.End()) < first || f.line(n.Pos()) > last {
			return false
		}
		if d, ok := n.(*ast.DeferStmt); ok {
			if deferred && f.releasesIn(d.Call, reason) {
				take(d)
			}
			return false
		}
		if !deferred && f.releasing(n, reason) {
			take(n)
		}
		return true
	})
	return r
}

// releasesIn reports whether a call, or what it holds, releases.
func (f *file) releasesIn(call *ast.CallExpr, reason string) bool {
	found := false
	ast.Inspect(call, func(n ast.Node) bool {
		found = found || n != nil && f.releasing(n, reason)
		return !found
	})
	return found
}

// releasing reports whether a node can end a wait for the given reason.
func (f *file) releasing(n ast.Node, reason string) bool {
	channel := strings.HasPrefix(reason, "chan ") || strings.HasPrefix(reason, "select")
	switch n := n.(type) {
	case *ast.SendStmt:
		return channel
	case *ast.UnaryExpr:
		return n.Op.String() == "<-" && channel && !strings.HasPrefix(reason, "chan receive")
	case *ast.CallExpr:
		return f.releasingCall(n, reason, channel)
	}
	return false
}

func (f *file) releasingCall(n *ast.CallExpr, reason string, channel bool) bool {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		return channel && (fun.Name == "close" || strings.HasPrefix(strings.ToLower(fun.Name), "cancel"))
	case *ast.SelectorExpr:
		if channel {
			return strings.HasPrefix(strings.ToLower(fun.Sel.Name), "cancel") || fun.Sel.Name == "Stop" || fun.Sel.Name == "Close"
		}
		for _, name := range releases[reason] {
			if fun.Sel.Name == name {
				return true
			}
		}
	}
	return false
}
