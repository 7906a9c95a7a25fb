package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/remedy"
)

// gathered is the advice for a loop over a map that makes a list of which the source shows that nothing sorts it before
// it is used; nil for other loops.
func (f *fixer) gathered() prose {
	s := f.v.firstOf(f.d)
	n := len(f.d.Window)
	if s == nil || s.Reason.Gathers == "" || s.File != f.d.Window[n-1].File || s.Start != f.d.Window[n-1].Start {
		return nil
	}
	sort, other := "slices.Sort("+s.Reason.Gathers+")", "slices.SortFunc"
	if p := (remedy.Proposer{Source: f.v.src.whole}); !p.Has(s.File, remedy.SortedKeys) {
		sort, other = "sort.Strings("+s.Reason.Gathers+")", "sort.Ints, or sort.Slice"
	}
	return say("Sort ").code(s.Reason.Gathers).text(", to which the loop at ").add(f.last).text(fmt.Sprintf(" appends, after the loop and before line %d uses it: ", s.End)).
		code(sort).text("; ").code(other).text(" for elements that ").code("<").text(" does not compare. An order that is fixed may be the one that fails: check it.")
}

// usesSyncMap reports whether the line at which the order of a map is chosen calls what may be a method of a sync.Map
// that uses it without going through it: the first such call draws the seed of its hashes.
func (f *fixer) usesSyncMap() bool {
	n := len(f.d.Window)
	if n == 0 || !f.walkedByCallee() {
		return false
	}
	line := f.v.src.line(f.d.Window[n-1].File, f.d.Window[n-1].Start)
	return slices.ContainsFunc([]string{".LoadOrStore(", ".LoadAndDelete(", ".CompareAndSwap(", ".CompareAndDelete("}, func(call string) bool { return strings.Contains(line, call) })
}

// walkedByCallee reports whether the place at which the order of a map is chosen calls something and has no loop
// itself.
func (f *fixer) walkedByCallee() bool {
	n := len(f.d.Window)
	return n > 0 && f.v.src.callsOnly(f.d.Window[n-1].File, f.d.Window[n-1].Start)
}

// callsOnly reports whether a statement that begins on a line has a call, and no loop stands there; false if that is
// not known.
func (s *sources) callsOnly(path string, line int) bool {
	set, file := s.parse(path)
	if file == nil {
		return false
	}
	calls, loop := false, false
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || set.Position(n.Pos()).Line != line {
			return true
		}
		switch n.(type) {
		case *ast.CallExpr:
			calls = true
		case *ast.RangeStmt:
			loop = true
		}
		return true
	})
	return calls && !loop
}

// syncMap reports whether what is walked is a sync.Map: no loop of Go's.
func (f *fixer) syncMap() bool {
	n := len(f.d.Window)
	if n == 0 || f.d.Window[n-1].After {
		return false
	}
	line := f.v.src.line(f.d.Window[n-1].File, f.d.Window[n-1].Start)
	return strings.Contains(line, ".Range(") && !strings.Contains(line, "range ")
}

// sortedWalk says how a loop goes through a map in the order of its keys, with what the Go has that the
// user's go.mod asks for.
func (f *fixer) sortedWalk(begin, over string) prose {
	walk := say(begin + " through sorted keys at ").add(or(f.last, "the loop over the map"))
	p := remedy.Proposer{Source: f.v.src.whole}
	key, has := "key", true
	if n := len(f.d.Window); n > 0 {
		at := f.d.Window[n-1]
		key, has = f.v.src.keyOf(at.File, at.Start), p.Has(at.File, remedy.SortedKeys)
	}
	if !has {
		walk = walk.text(": collect them, sort them with ").code("sort.Strings(keys)").text(" or ").code("sort.Ints(keys)").text(", and loop with ").code("for _, " + key + " := range keys").text(" (the go line of go.mod is older than what ").code("slices.Sorted(maps.Keys(" + over + "))").text(" needs); ").code("sort.Slice")
	} else {
		walk = walk.text(": ").code("for _, " + key + " := range slices.Sorted(maps.Keys(" + over + "))").text("; ").code("slices.SortedFunc")
	}
	return walk.text(" for keys that ").code("<").text(" does not compare. An order that is fixed may be the one that fails: check it.")
}

// unsorted says of a map of which the loop can't sort the keys why it can't; nil if it can, or
// if that is not known.
func (f *fixer) unsorted() prose {
	n := len(f.d.Window)
	if n == 0 {
		return nil
	}
	key := (&remedy.Proposer{Source: f.v.src.whole}).Unsortable(remedy.Site{File: f.d.Window[n-1].File, Line: f.d.Window[n-1].Start})
	if key == "" {
		return nil
	}
	return say("The keys can't be sorted at ").add(f.last).text(": ").code(key).text(" is a type parameter that is only ").code("comparable").text(".")
}

// mayLeave reports whether the loop on a line can end before it has gone through all, by a
// return, a break or a jump; false if that is not known.
func (s *sources) mayLeave(path string, line int) (leaves bool) {
	for _, loop := range s.ranges(path, line) {
		leaves = leaves || left(loop.Body, true)
	}
	return leaves
}

// keyOf returns the name that the loop on a line gives to a key; "key" if it has none, or there is no such loop.
func (s *sources) keyOf(path string, line int) string {
	for _, loop := range s.ranges(path, line) {
		if key, ok := loop.Key.(*ast.Ident); ok && key.Name != "_" {
			return key.Name
		}
	}
	return "key"
}

// ranges returns the loops with range that begin on a line.
func (s *sources) ranges(path string, line int) (list []*ast.RangeStmt) {
	set, file := s.parse(path)
	if file == nil {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if loop, ok := n.(*ast.RangeStmt); ok && set.Position(loop.Pos()).Line == line {
			list = append(list, loop)
		}
		return true
	})
	return list
}

// left reports whether a statement in a loop may end it; breaks says that a break without a
// label would. What functions in it do is their own.
func left(n ast.Node, breaks bool) (leaves bool) {
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			leaves = true
		case *ast.BranchStmt:
			leaves = leaves || x.Tok == token.GOTO || x.Tok == token.BREAK && (breaks || x.Label != nil)
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if x != n {
				leaves = leaves || left(x, false)
				return false
			}
		}
		return true
	})
	return leaves
}

// ranged returns what the range statement on a line goes through, "" if there is none.
func (f *fixer) ranged(s finding.Span) string {
	line := strings.TrimSpace(f.v.src.line(s.File, s.Start))
	_, rest, ok := strings.Cut(line, "range ")
	if rest = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "{")); !ok || rest == "" {
		return ""
	}
	x, err := parser.ParseExpr(rest)
	if err != nil {
		return ""
	}
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return f.v.clean.code(rest)
	}
	return ""
}
