package listing

import (
	"go/scanner"
	"go/token"
	"strings"
)

// A tok is a Go token with its extent; lines and columns count from 1.
type tok struct {
	kind                       token.Token
	line, col, endLine, endCol int
}

// scan returns the tokens of a piece of Go code, without comments and without
// the semicolons that newlines stand for.
func scan(text string) []tok {
	var sc scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(text))
	sc.Init(file, []byte(text), func(token.Position, string) {}, 0)
	var toks []tok
	for {
		pos, kind, lit := sc.Scan()
		if kind == token.EOF {
			return toks
		}
		if kind == token.SEMICOLON && lit != ";" {
			continue
		}
		if lit == "" {
			lit = kind.String()
		}
		// PositionFor and not Position: a //line comment must not move it.
		start := fset.PositionFor(pos, false)
		t := tok{kind, start.Line, start.Column, start.Line, start.Column + len(lit)}
		if i := strings.LastIndexByte(lit, '\n'); i >= 0 {
			t.endLine += strings.Count(lit, "\n")
			t.endCol = len(lit) - i
		}
		toks = append(toks, t)
	}
}

// trimTokens drops what stands around the statements of a block: the brace
// before it, an else, the colon of a case, and braces without a partner at its
// end.
func trimTokens(toks []tok) []tok {
	for len(toks) > 0 {
		switch toks[0].kind {
		case token.LBRACE, token.RBRACE, token.COLON, token.SEMICOLON, token.ELSE:
			toks = toks[1:]
			continue
		}
		break
	}
	for len(toks) > 0 {
		last := toks[len(toks)-1].kind
		if last != token.LBRACE && last != token.SEMICOLON && (last != token.RBRACE || balance(toks) >= 0) {
			break
		}
		toks = toks[:len(toks)-1]
	}
	return toks
}

// balance returns the number of opening less that of closing braces.
func balance(toks []tok) int {
	n := 0
	for _, t := range toks {
		switch t.kind {
		case token.LBRACE:
			n++
		case token.RBRACE:
			n--
		}
	}
	return n
}
