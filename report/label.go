package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strings"
	"unicode"
)

// hashSpread is the distance between the least and the greatest of numbers above
// which they are no quantity: nothing that is counted or measured in the runs of
// one test differs by that much, and 64-bit hashes nearly always do.
const hashSpread = 1 << 62

// enough is how many values either outcome must have for a limit between the two
// to mean something even where the numbers look like hashes.
const enough = 3

// isLabel reports whether numbers only tell things apart, as hashes and ids do:
// that one is greater than another means nothing, and an axis would say that it does.
func (s *strip) isLabel(expr string) bool {
	if namesLabel(expr) {
		return true
	}
	if s.limit != nil && len(s.pass) >= enough && len(s.fail) >= enough {
		return false
	}
	if s.hi.x-s.lo.x <= hashSpread {
		return false
	}
	for _, list := range []numbers{s.pass, s.fail} {
		if slices.ContainsFunc(list, func(p stripPoint) bool { return p.runs > 1 || p.x != math.Trunc(p.x) }) {
			return false
		}
	}
	return len(s.pass)+len(s.fail) >= enough
}

// namesLabel reports whether an expression is called an id, a hash or an address.
func namesLabel(expr string) bool {
	e, err := parser.ParseExpr(expr)
	return err == nil && isLabelExpr(e)
}

func isLabelExpr(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return labelName(e.Name)
	case *ast.SelectorExpr:
		return labelName(e.Sel.Name)
	case *ast.ParenExpr:
		return isLabelExpr(e.X)
	case *ast.StarExpr:
		return isLabelExpr(e.X)
	case *ast.IndexExpr: // ids[0]
		return isLabelExpr(e.X)
	case *ast.BinaryExpr: // the bucket of a hash, not the distance of two
		return slices.Contains([]token.Token{token.REM, token.AND, token.XOR, token.SHR, token.SHL}, e.Op) &&
			isLabelExpr(e.X)
	case *ast.CallExpr: // a conversion, or a function that is named after its result
		if f, ok := e.Fun.(*ast.Ident); ok && len(e.Args) == 1 && basicInt(f.Name) {
			return isLabelExpr(e.Args[0])
		}
		return isLabelExpr(e.Fun)
	}
	return false
}

func basicInt(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "u"), "int")
}

// labelWords are the words at the end of the name of a thing that is no quantity.
var labelWords = map[string]bool{
	"hash": true, "hashcode": true, "checksum": true, "crc": true, "digest": true, "fingerprint": true,
	"sum32": true, "sum64": true,
	"id": true, "uid": true, "gid": true, "pid": true, "tid": true, "uuid": true, "guid": true,
	"addr": true, "address": true, "ptr": true, "pointer": true, "uintptr": true, "nonce": true,
}

// labelName reports whether the last word of an identifier is one of labelWords,
// in the singular or the plural.
func labelName(name string) bool {
	word := strings.ToLower(lastWord(name))
	return labelWords[word] || labelWords[strings.TrimSuffix(word, "s")]
}

// lastWord returns "ID" of "userID", "hash" of "key_hash", "Sum64" of "Sum64".
func lastWord(name string) string {
	name = name[strings.LastIndexByte(name, '_')+1:]
	r := []rune(name)
	for i := len(r) - 1; i > 0; i-- {
		if unicode.IsUpper(r[i]) && !unicode.IsUpper(r[i-1]) {
			return string(r[i:])
		}
	}
	return name
}
