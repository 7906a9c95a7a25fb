package runner

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
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
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || methodKinds[sel.Sel.Name] == callUnknown {
			return false
		}
		x.kind = methodKinds[sel.Sel.Name]
		var pattern *regexp.Regexp
		pattern, x.words = messageOf(call.Args, strings.HasSuffix(sel.Sel.Name, "f"), nil)
		return pattern.MatchString(strings.TrimSpace(c.text))
	})
}

// assertedIn is sayingIn for a message of testify: the user's own message, if any, is among the last arguments.
func assertedIn(file, test string, c check, said string) *saying {
	return nearestIn(file, test, c, func(call *ast.CallExpr, x *saying) bool {
		for i, arg := range call.Args {
			if text, ok := literal(arg); ok && text != "" {
				pattern, words := messageOf(call.Args[i:], true, nil)
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
	fset := token.NewFileSet()
	src, _ := goparser.ParseFile(fset, file, nil, goparser.SkipObjectResolution)
	if src == nil {
		return
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	for _, d := range src.Decls {
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
				x := &saying{end: line(call.End()), from: line(lookedAt(within)), in: fn.Name.Name}
				x.place = place{file, line(call.Pos())}
				f(call, x)
			}
			return true
		})
	}
}

// lookedAt returns where the statement begins that comes before the last of some nodes, each within the one before: in
// front of the outermost if or switch that the node is in, up to a loop or a function.
func lookedAt(within []ast.Node) token.Pos {
	at := within[len(within)-1].Pos()
	for i, n := range slices.Backward(within) {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.FuncDecl, *ast.ForStmt, *ast.RangeStmt:
			return at
		case *ast.BlockStmt:
			k := slices.IndexFunc(n.List, func(s ast.Stmt) bool { return s == within[i+1] })
			_, isCase := n.List[k].(*ast.CaseClause)
			_, isComm := n.List[k].(*ast.CommClause)
			if at = n.List[k].Pos(); k > 0 && !isCase && !isComm {
				at = n.List[k-1].Pos()
			}
		}
	}
	return at
}

var (
	ownWord = regexp.MustCompile(`\pL{3}`)
	// verb is one of a format, or a percent sign.
	verb = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-zA-Z%]`)
	// values replaces marks of verbs: \x02 is that of a named variable.
	values = strings.NewReplacer("\x01", ".*?", "\x02", "(.*?)")
)

// messageOf returns the pattern of all messages that arguments make, with the values of named variables as its groups,
// and whether there are words in it.
func messageOf(args []ast.Expr, formatted bool, named map[string]bool) (_ *regexp.Regexp, words bool) {
	var list []string
	for i, arg := range args {
		text, ok := literal(arg)
		switch {
		case !ok:
			list = append(list, ".*")
			continue
		case formatted && i == 0:
			n := 0
			text = verb.ReplaceAllStringFunc(text, func(v string) string {
				if strings.HasSuffix(v, "%") {
					return "%"
				}
				if n++; n < len(args) && mentions(args[n], named) {
					return "\x02"
				}
				return "\x01"
			})
		}
		words = words || ownWord.MatchString(text)
		list = append(list, values.Replace(regexp.QuoteMeta(strings.TrimSpace(text))))
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

// literal returns the value of an expression of string literals.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, ok := literal(e.X)
		y, too := literal(e.Y)
		return x + y, ok && too && e.Op == token.ADD
	case *ast.ParenExpr:
		return literal(e.X)
	}
	return "", false
}
