package remedy

import (
	"fmt"
	"go/ast"
)

// readFull makes the one call of Read at a line a call of io.ReadFull.
func (p *Proposer) readFull(at Site) (*Remedy, error) {
	f, err := p.open(at.File)
	if err != nil {
		return nil, err
	}
	var calls []*ast.CallExpr
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && len(c.Args) == 1 && f.line(c) == at.Line {
			if s, ok := c.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Read" {
				calls = append(calls, c)
			}
		}
		return true
	})
	io, ok := f.imported("io")
	if len(calls) != 1 || !ok {
		return nil, errNone
	}
	reader := f.text(calls[0].Fun.(*ast.SelectorExpr).X)
	was, now := f.text(calls[0]), fmt.Sprintf("%s.ReadFull(%s, %s)", io, reader, f.text(calls[0].Args[0]))
	f.replace(calls[0], now)
	text, err := f.edited("io")
	if err != nil {
		return nil, err
	}
	return &Remedy{
		name: "read-full", Words: fmt.Sprintf("read from %s at %s until all is there", reader, at),
		Files: map[string][]byte{at.File: text}, Was: was, Now: now,
	}, nil
}
