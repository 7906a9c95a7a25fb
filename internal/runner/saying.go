package runner

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// A saying is a call in the source that printed a message.
type saying struct {
	check     // at its place here
	end   int // its last line
	from  int // the line that makes its operands: the statement before its own, or before the if that it is in
	kind  callKind
	words bool   // it says something in words of its own, so only values differ
	in    string // function that it is declared in
}

// is reports whether a place is that of the call.
func (x *saying) is(file string, line int) bool {
	return baseName(file) == baseName(x.File) && x.Line <= line && line <= x.end
}

// sayingIn returns the call in a file that printed a message: the one on its line if it can have, else the nearest that
// says it in words of its own, in the function of the test first; nil if there is none.
func sayingIn(file, test string, c check) *saying {
	return nearestIn(file, test, c, func(call *ast.CallExpr, x *saying) bool {
		of, method := syntax.Called(call)
		if x.kind = methodKinds[method]; of == nil || x.kind == callUnknown {
			return false
		}
		var pattern *regexp.Regexp
		pattern, x.words = messageOf(call.Args, strings.HasSuffix(method, "f"))
		return pattern.MatchString(strings.TrimSpace(c.text))
	})
}

// assertedIn is sayingIn for a message of testify: the user's own message, if any, is among the last arguments.
func assertedIn(file, test string, c check, said string) *saying {
	return nearestIn(file, test, c, func(call *ast.CallExpr, x *saying) bool {
		for i, arg := range call.Args {
			if text, ok := syntax.String(arg); ok && text != "" {
				pattern, words := messageOf(call.Args[i:], true)
				x.words = x.words || words && pattern.MatchString(said)
			}
		}
		return x.words || said == "" && x.is(file, c.Line)
	})
}

// nearestIn returns the call in a file that says so: with words of its own on the line of a message, else the nearest
// with such words in the function of the test, else one on the line, else the nearest with such words.
func nearestIn(file, test string, c check, says func(*ast.CallExpr, *saying) bool) (best *saying) {
	least := 0
	eachCall(file, test, func(call *ast.CallExpr, x *saying) {
		x.text = c.text
		if !says(call, x) {
			return
		}
		far := min(max(x.Line-c.Line, c.Line-x.end, 0), maxFar)
		switch {
		case far == 0 && x.words:
		case x.words && x.in == test:
		case far == 0:
			far = maxFar
		case x.words:
			far += maxFar
		default:
			return
		}
		if best == nil || far < least {
			best, least = x, far
		}
	})
	return best
}

const maxFar = 1 << 20 // lines, farther than anything in one file

// eachCall calls f for each call in a file that a test may make, the outer ones first.
func eachCall(file, test string, f func(*ast.CallExpr, *saying)) {
	src, _ := syntax.Read(file, os.ReadFile)
	if src == nil {
		return
	}
	for _, d := range src.Tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != test {
			continue
		}
		var within []ast.Node
		ast.Inspect(fn, func(n ast.Node) bool {
			if n == nil {
				within = within[:len(within)-1]
				return true
			}
			within = append(within, n)
			if call, ok := n.(*ast.CallExpr); ok {
				line, end := src.Lines(call)
				from, _ := src.Lines(lookedAt(within))
				f(call, &saying{check: check{Frame: trace.Frame{File: file, Line: line}}, end: end, from: from, in: fn.Name.Name})
			}
			return true
		})
	}
}

// lookedAt returns the statement that comes before the last of some nodes, each within the one before: in front of the
// outermost if or switch that the node is in, up to a loop or a function.
func lookedAt(within []ast.Node) ast.Node {
	at := within[len(within)-1]
	for i, n := range slices.Backward(within) {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.FuncDecl, *ast.ForStmt, *ast.RangeStmt:
			return at
		case *ast.BlockStmt:
			k := slices.IndexFunc(n.List, func(s ast.Stmt) bool { return s == within[i+1] })
			_, isCase := n.List[k].(*ast.CaseClause)
			_, isComm := n.List[k].(*ast.CommClause)
			if at = n.List[k]; k > 0 && !isCase && !isComm {
				at = n.List[k-1]
			}
		}
	}
	return at
}

var (
	ownWord = regexp.MustCompile(`\pL{3}`)
	// verb is one of a format, or a percent sign.
	verb = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-zA-Z%]`)
)

// messageOf returns the pattern of all messages that arguments make, and whether there are words in it.
func messageOf(args []ast.Expr, formatted bool) (_ *regexp.Regexp, words bool) {
	var list []string
	for i, arg := range args {
		text, ok := syntax.String(arg)
		switch {
		case !ok:
			list = append(list, ".*")
			continue
		case formatted && i == 0:
			text = verb.ReplaceAllStringFunc(text, func(v string) string {
				if strings.HasSuffix(v, "%") {
					return "%"
				}
				return "\x01" // a mark
			})
		}
		words = words || ownWord.MatchString(text)
		list = append(list, strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(text)), "\x01", ".*?"))
		if formatted {
			break
		}
	}
	re, err := regexp.Compile(`(?s)^` + strings.Join(list, ` *`) + `$`)
	if err != nil { // too long
		return regexp.MustCompile(``), false
	}
	return re, words
}
