package source

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// A span is the position of a block.
type span struct {
	from, to token.Pos
	block    int
}

// spansOf returns the blocks of a file, by index in the table, in the order of the text.
func spansOf(x *Index, f *File, file int) []span {
	var list []span
	for b := 1; b < len(x.sites.Blocks); b++ {
		if x.sites.FileOf(b) != file || x.sites.Blocks[b].Kind == trace.BlockInside {
			continue
		}
		if s := spanOf(&f.File, x.sites, b); s.from.IsValid() {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return list
}

// spanOf returns the position of a block. It has none if the file is not the one that the table was
// made from.
func spanOf(f *syntax.File, sites *trace.Sites, b int) span {
	tf, s := f.Set.File(f.Tree.FileStart), sites.Blocks[b]
	if s.StartLine < 1 || max(s.StartLine, s.EndLine) > tf.LineCount() {
		return span{}
	}
	from, to := tf.LineStart(s.StartLine)+token.Pos(s.StartCol-1), tf.LineStart(max(s.EndLine, 1))+token.Pos(s.EndCol-1)
	if end := tf.Pos(tf.Size()); from > end || to > end {
		return span{}
	}
	return span{from, to, b}
}

// blockAt returns the block that contains a position, or 0.
func blockAt(spans []span, p token.Pos) int {
	i, _ := slices.BinarySearchFunc(spans, p+1, func(s span, p token.Pos) int { return cmp.Compare(s.from, p) })
	if i > 0 && p < spans[i-1].to {
		return spans[i-1].block
	}
	return 0
}

// block returns the block that a node is part of. A node outside blocks, such as the channel of a
// case, belongs to the block of the statement around it.
func (w *walker) block(n ast.Node) int {
	if b := blockAt(w.f.spans, n.Pos()); b > 0 {
		return b
	}
	for i := len(w.open) - 1; i >= 0; i-- {
		if b := blockAt(w.f.spans, w.open[i].Pos()); b > 0 {
			return b
		}
		switch w.open[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return 0
		}
	}
	return 0
}

// head returns the statement whose head an operation is part of, although it is at a case: what a
// select waits for, or a switch compares with. What shows that a case was taken is part of the
// case.
func (w *walker) head(o *Op) ast.Node {
	for i := len(w.open) - 1; i >= 2; i-- {
		switch c := w.open[i].(type) {
		case *ast.FuncLit:
			return o.Node
		case *ast.CommClause:
			if c.Comm == nil || o.Node.Pos() >= c.Colon || o.Kind == Init || o.Kind == Write || o.Kind == Release {
				return o.Node
			}
			return w.open[i-2]
		case *ast.CaseClause:
			if o.Node.Pos() >= c.Colon {
				return o.Node
			}
			return w.open[i-2]
		}
	}
	return o.Node
}

// path returns the nodes around a position, the innermost first, up to the function whose body
// contains it.
func (x *Index) path(f *File, p token.Pos) []ast.Node {
	path, _ := astutil.PathEnclosingInterval(f.Tree, p, p)
	for i, n := range path {
		if body := BodyOf(n); body != nil && body.Lbrace < p {
			return path[:i+1]
		}
	}
	return path
}

// place returns the file and the position of a block. The file is nil if it can't be read, or has
// changed.
func (x *Index) place(b int) (*File, span) {
	if !x.sites.Has(b) {
		return nil, span{}
	}
	f := x.files[x.sites.Files[x.sites.FileOf(b)].Path]
	if f == nil {
		return nil, span{}
	}
	s := spanOf(&f.File, x.sites, b)
	if !s.from.IsValid() {
		return nil, span{}
	}
	return f, s
}

// FuncIndex returns the function with the given body, by index in Sites.Funcs: that of the first
// block in it; -1 if there is none.
func (x *Index) FuncIndex(body *ast.BlockStmt) int {
	f := x.fileOf(body)
	if f == nil {
		return -1
	}
	i, _ := slices.BinarySearchFunc(f.spans, body.Lbrace, func(s span, p token.Pos) int {
		return cmp.Compare(s.from, p)
	})
	if i == len(f.spans) || f.spans[i].from > body.Rbrace {
		return -1
	}
	return x.sites.Blocks[f.spans[i].block].Func
}

// FuncAround returns the function that contains a node, a declaration or a literal; nil if there
// is none.
func (x *Index) FuncAround(n ast.Node) ast.Node {
	f := x.fileOf(n)
	if f == nil {
		return nil
	}
	path := x.path(f, n.Pos())
	if fn := path[len(path)-1]; BodyOf(fn) != nil {
		return fn
	}
	return nil
}

// BodyOf returns the body of a function, or nil for other nodes.
func BodyOf(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return n.Body
	case *ast.FuncLit:
		return n.Body
	}
	return nil
}
