package source

import (
	"cmp"
	"context"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// An Index knows the user's code by block.
type Index struct {
	Fset *token.FileSet
	// Typed says whether all types are known. Where some are not, what depends on them is guessed
	// from names, and Err says why.
	Typed bool
	Err   error

	sites   *trace.Sites
	files   map[string]*File                // by path in trace.Sites
	named   map[string]*File                // by absolute name
	blocks  map[int][]*Op                   // in the order of the text
	outside []*Op                           // those outside functions
	objects map[types.Object][]*Op          // see Op.known
	byPos   map[token.Pos]types.Object      // see canon
	decls   map[types.Object]*funcNode      // the user's functions
	params  map[types.Object]parameter      // parameters of the user's functions
	aliased map[types.Object][]types.Object // pointers, and whose address they were given
	address map[types.Object]bool           // variables whose address is taken
	targets map[types.Object][]types.Object // the same, by pointer
	stmts   map[int]ast.Stmt                // the control statements whose heads end blocks
	byName  map[string]types.Object         // objects without types, see walker.unknown
}

// A funcNode is a declared function and its file.
type funcNode struct {
	file *File
	decl *ast.FuncDecl
}

// A parameter is a parameter of a function, by its index; -1 is the receiver.
type parameter struct {
	fn types.Object
	i  int
}

// Load reads the code. It always returns an index: it leaves out what can't be read, and
// understands what has no types from syntax and names.
func Load(ctx context.Context, cfg Config) *Index {
	l := newLoader(cfg)
	l.load(ctx)
	return newIndex(l)
}

func newIndex(l *loader) *Index {
	x := &Index{
		Fset: l.fset, Typed: len(l.errs) == 0, Err: errors.Join(l.errs...), sites: l.Sites,
		files: make(map[string]*File), blocks: make(map[int][]*Op), objects: make(map[types.Object][]*Op),
		byPos: make(map[token.Pos]types.Object), decls: make(map[types.Object]*funcNode),
		params: make(map[types.Object]parameter), named: l.files,
		aliased: make(map[types.Object][]types.Object), address: make(map[types.Object]bool),
		targets: make(map[types.Object][]types.Object), stmts: make(map[int]ast.Stmt),
		byName: make(map[string]types.Object),
	}
	infos := make(map[*types.Info]bool)
	for _, f := range l.files {
		if f != nil && l.wanted[f.Path] {
			x.files[f.Path], infos[f.Info] = f, true
			x.functions(f)
		}
	}
	for info := range infos {
		x.declare(info)
	}
	for i, f := range l.Sites.Files { // in a fixed order
		if f := x.files[f.Path]; f != nil {
			f.spans = spansOf(x, f, i)
			w := &walker{x: x, f: f, skip: make(map[ast.Node]bool), as: make(map[ast.Node]string)}
			w.file()
		}
	}
	x.implement()
	return x
}

// declare adds the objects that a package declares, except those in files whose types come from
// another package.
func (x *Index) declare(info *types.Info) {
	add := func(obj types.Object) {
		if f := x.fileAt(obj.Pos()); f != nil && f.Info == info && x.byPos[obj.Pos()] == nil {
			x.byPos[obj.Pos()] = obj
		}
	}
	for _, obj := range info.Defs {
		if obj != nil {
			add(obj)
		}
	}
	for n, obj := range info.Implicits {
		if _, clause := n.(*ast.CaseClause); clause {
			add(obj)
		}
	}
}

// functions adds the functions that a file declares.
func (x *Index) functions(f *File) {
	for _, d := range f.Tree.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil || f.Info.Defs[fd.Name] == nil {
			continue
		}
		fn := &funcNode{f, fd}
		x.decls[f.Info.Defs[fd.Name]] = fn
		if fd.Recv != nil && len(fd.Recv.List) == 1 && len(fd.Recv.List[0].Names) == 1 {
			x.params[f.Info.Defs[fd.Recv.List[0].Names[0]]] = parameter{f.Info.Defs[fd.Name], -1}
		}
		for i := range fd.Type.Params.NumFields() {
			if p := param(fn, i); p != nil {
				x.params[p] = parameter{f.Info.Defs[fd.Name], i}
			}
		}
	}
}

// File returns a file by its path in trace.Sites, or nil if it could not be read.
func (x *Index) File(path string) *File { return x.files[path] }

// Block returns the operations of a block, of the given kinds or of all, in the order of the
// text.
func (x *Index) Block(b int, kinds ...Kind) []*Op { return of(x.blocks[b], kinds) }

// Of returns the operations on an object, wherever they are. For a function these are its calls.
// For a variable they include those through other variables that were seen to get its address, or
// a reference to the same thing.
func (x *Index) Of(obj types.Object, kinds ...Kind) []*Op {
	if obj == nil { // the operation is on something without a name
		return nil
	}
	var list []*Op
	for _, o := range x.aliases(x.canon(obj)) {
		for _, op := range of(x.objects[o], kinds) {
			if o == x.canon(obj) || op.Elem || op.Kind != Read && op.Kind != Write && op.Kind != Init {
				list = append(list, op)
			}
		}
	}
	slices.SortStableFunc(list, byPos)
	return list
}

func byPos(a, b *Op) int { return cmp.Compare(a.Node.Pos(), b.Node.Pos()) }

func of(ops []*Op, kinds []Kind) []*Op {
	var list []*Op
	for _, o := range ops {
		if o.is(kinds) {
			list = append(list, o)
		}
	}
	return list
}

// In returns the operations within a node.
func (x *Index) In(n ast.Node, kinds ...Kind) []*Op {
	f := x.fileOf(n)
	if f == nil {
		return nil
	}
	i, _ := slices.BinarySearchFunc(f.ops, n.Pos(), func(o *Op, p token.Pos) int { return int(o.Node.Pos() - p) })
	var list []*Op
	for ; i < len(f.ops) && f.ops[i].Node.Pos() < n.End(); i++ {
		if o := f.ops[i]; o.Node.End() <= n.End() && o.is(kinds) {
			list = append(list, o)
		}
	}
	return list
}

// Lines returns the operations that begin in some lines of a file, by its path in
// trace.Sites.
func (x *Index) Lines(path string, first, last int, kinds ...Kind) []*Op {
	f := x.files[path]
	if f == nil {
		return nil
	}
	i, _ := slices.BinarySearchFunc(f.ops, first, func(o *Op, line int) int {
		return cmp.Compare(x.Line(o.Node), line)
	})
	var list []*Op
	for ; i < len(f.ops) && x.Line(f.ops[i].Node) <= last; i++ {
		if f.ops[i].is(kinds) {
			list = append(list, f.ops[i])
		}
	}
	return list
}

// fileOf returns the user's file that contains a node, or nil.
func (x *Index) fileOf(n ast.Node) *File { return x.fileAt(n.Pos()) }

func (x *Index) fileAt(p token.Pos) *File {
	if tf := x.Fset.File(p); tf != nil {
		return x.named[tf.Name()]
	}
	return nil
}

// Line returns the line at which a node begins, ignoring //line.
func (x *Index) Line(n ast.Node) int { return x.Fset.PositionFor(n.Pos(), false).Line }

// Place returns the file, by its path in trace.Sites, and the line of an operation.
func (x *Index) Place(o *Op) (path string, line int) { return o.file.Path, x.Line(o.Node) }

// Text returns a node as it is written, in one line.
func (x *Index) Text(n ast.Node) string {
	f := x.fileOf(n)
	if f == nil {
		return ""
	}
	from, to := x.Fset.PositionFor(n.Pos(), false).Offset, x.Fset.PositionFor(n.End(), false).Offset
	if from < 0 || to > len(f.Src) || from > to {
		return ""
	}
	return strings.Join(strings.Fields(string(f.Src[from:to])), " ")
}

// Shared reports whether more than one function, or code elsewhere, can know a variable: a
// package variable, a field, one that a function literal uses too, or one whose address is taken.
func (x *Index) Shared(obj types.Object) bool {
	obj = x.canon(obj)
	v, ok := obj.(*types.Var)
	if !ok {
		return false
	}
	if v.IsField() || v.Parent() != nil && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() || len(x.aliased[obj]) > 0 {
		return true
	}
	fn := -1
	for _, o := range x.objects[obj] {
		if o.Block == 0 {
			continue
		}
		if k := x.sites.Blocks[o.Block].Func; fn >= 0 && k != fn {
			return true
		} else {
			fn = k
		}
	}
	return false
}

// funcOf returns the declaration of a user's function, or nil for other objects.
func (x *Index) funcOf(obj types.Object) *ast.FuncDecl {
	if obj != nil {
		if d := x.decls[x.canon(obj)]; d != nil {
			return d.decl
		}
	}
	return nil
}
