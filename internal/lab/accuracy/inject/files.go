package inject

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"regexp"
	"strings"
)

// anyPort is an address that lets the system choose the port.
var anyPort = regexp.MustCompile(`^(\[::1?\]|127\.0\.0\.1|localhost|0\.0\.0\.0)?:0$`)

func portFixed(s *source) (edits []Edit) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if b, ok := n.(*ast.BasicLit); ok && b.Kind == token.STRING {
			v := constant.StringVal(constant.MakeFromLiteral(b.Value, token.STRING, 0))
			if anyPort.MatchString(v) { // below the ports that systems choose
				text := fmt.Sprintf("%q", strings.TrimSuffix(v, "0")+fmt.Sprint(20000+s.pick(s.offset(b.Pos()), 10000)))
				edits = append(edits, s.replace(b, text))
			}
		}
		return true
	})
	return edits
}

const readOnceDecl = `func injectRead(r injectio.Reader) ([]byte, error) {
	b := make([]byte, 4096)
	n, err := r.Read(b)
	if err == injectio.EOF {
		err = nil
	}
	return b[:n], err
}`

func readOnce(s *source) (edits []Edit) {
	s.calls(func(c *ast.CallExpr, name string) {
		switch name {
		case "io.ReadFull":
			edits = append(edits, s.replace(c, "("+s.code(c.Args[0])+").Read("+s.code(c.Args[1])+")"))
		case "io.ReadAll", "io/ioutil.ReadAll":
			e := s.replace(c, "injectRead("+s.code(c.Args[0])+")", "io")
			e.decl = readOnceDecl
			edits = append(edits, e)
		}
	})
	return edits
}

// completes reports whether a call of the standard library flushes what was written to where it
// is read.
func completes(name string) bool {
	recv, method, ok := strings.Cut(strings.TrimPrefix(name, "("), ").")
	recv = strings.TrimPrefix(recv, "*")
	dot := strings.LastIndexByte(recv, '.')
	if !ok || dot < 0 || !standard(recv[:dot]) {
		return false
	}
	switch method {
	case "Flush", "Close":
		return recv[:dot] != "net/http/httptest"
	case "Sync":
		return true
	}
	return false
}

func flushDropped(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		if _, name := s.called(l.stmts[i]); completes(name) {
			edits = append(edits, s.drop(l, i))
		}
	})
	return edits
}

func flushLate(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		if c, name := s.called(l.stmts[i]); completes(name) {
			edits = append(edits, s.replace(l.stmts[i], "go "+s.code(c)))
		}
	})
	return edits
}
