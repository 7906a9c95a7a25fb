package remedy

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// readFull replaces the only call of Read at a line with a call of io.ReadFull.
func (p *Proposer) readFull(at trace.Frame) (*Remedy, error) {
	f, err := p.open(at.File)
	if err != nil {
		return nil, err
	}
	calls := slices.DeleteFunc(f.reads(), func(c *ast.CallExpr) bool { return f.line(c) != at.Line })
	io, ok := f.imported("io")
	if len(calls) != 1 || !ok {
		return nil, errNone
	}
	reader := f.Text(calls[0].Fun.(*ast.SelectorExpr).X)
	was, now := f.Text(calls[0]), fmt.Sprintf("%s.ReadFull(%s, %s)", io, reader, f.Text(calls[0].Args[0]))
	f.replace(calls[0], now)
	text, err := f.edited("io")
	if err != nil {
		return nil, err
	}
	return &Remedy{
		name: "read-full", Words: fmt.Sprintf("read from %s at %s until all is there", reader, at.At()),
		Files: map[string][]byte{at.File: text}, Was: was, Now: now,
	}, nil
}

// reads returns the calls of Read in a file that look like calls on an io.Reader.
func (f *file) reads() (calls []*ast.CallExpr) {
	for c := range syntax.Nodes[*ast.CallExpr](f.Tree) {
		if of, name := syntax.Called(c); of != nil && len(c.Args) == 1 && name == "Read" {
			calls = append(calls, c)
		}
	}
	return calls
}

// maxReads is how many calls of Read are tried if nothing shows which one it is.
const maxReads = 4

// readsIn returns the lines with calls of Read in the code of a package, without tests: if a
// goroutine writes late, a Read returns only what is there already.
func (p *Proposer) readsIn(names []string) (list []trace.Frame) {
	for _, name := range names {
		f, err := p.open(name)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, c := range f.reads() {
			list = append(list, trace.Frame{File: name, Line: f.line(c)})
		}
	}
	return list[:min(len(list), maxReads)]
}
