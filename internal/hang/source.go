package hang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A source answers questions about the syntax of blocks. There are no types: a
// method named Lock is taken for one.
type source struct {
	sites *trace.Sites
	read  func(path string) ([]byte, error)
	files map[string]*file // by path relative to the root, nil if it can't be read
	calls map[int]int      // what callsIn returned, by block
}

// A file is a parsed source file.
type file struct {
	text []byte
	fset *token.FileSet
	tree *ast.File
	ops  []lockOp // in the order of the text

	released map[string][]named // what releasesOf returned, by reason
}

// A lockOp is a call of Lock, RLock, Unlock or RUnlock.
type lockOp struct {
	name      string // "q.mu"
	lock      bool
	deferred  bool
	line, col int
}

func newSource(sites *trace.Sites, read func(string) ([]byte, error)) *source {
	return &source{sites: sites, read: read, files: make(map[string]*file)}
}

func (s *source) file(path string) *file {
	f, ok := s.files[path]
	if ok {
		return f
	}
	if text, err := s.read(path); err == nil {
		fset := token.NewFileSet()
		if tree, _ := parser.ParseFile(fset, path, text, parser.SkipObjectResolution); tree != nil {
			f = &file{text: text, fset: fset, tree: tree}
			f.findLocks()
		}
	}
	s.files[path] = f
	return f
}

// span returns the lines of a block and its function.
func (s *source) span(block int) (trace.Span, string, bool) {
	span, ok := s.sites.Pos(block)
	if !ok {
		return span, "", false
	}
	return span, s.sites.Funcs[s.sites.Blocks[block].Func].Name, true
}

func (s *source) abs(path string) string {
	return filepath.Join(s.sites.Root, filepath.FromSlash(path))
}

// frame returns a line of the file of a block as a frame.
func (s *source) frame(block, line int) trace.Frame {
	span, fn, _ := s.span(block)
	return trace.Frame{Func: fn, File: s.abs(span.File), Line: line}
}

// code returns a node as one line.
func (f *file) code(n ast.Node) string {
	from, to := f.fset.Position(n.Pos()).Offset, f.fset.Position(n.End()).Offset
	if from < 0 || to > len(f.text) || from > to {
		return ""
	}
	return strings.Join(strings.Fields(string(f.text[from:to])), " ")
}

func (f *file) line(p token.Pos) int { return f.fset.PositionFor(p, false).Line }

// findLocks collects the lock operations of a file.
func (f *file) findLocks() {
	deferred := make(map[*ast.CallExpr]bool)
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			deferred[d.Call] = true
			if lit, ok := d.Call.Fun.(*ast.FuncLit); ok {
				ast.Inspect(lit, func(n ast.Node) bool {
					if c, ok := n.(*ast.CallExpr); ok {
						deferred[c] = true
					}
					return true
				})
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) > 0 {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		lock := sel.Sel.Name == "Lock" || sel.Sel.Name == "RLock"
		if lock || sel.Sel.Name == "Unlock" || sel.Sel.Name == "RUnlock" {
			pos := f.fset.PositionFor(call.Pos(), false)
			f.ops = append(f.ops, lockOp{f.code(sel.X), lock, deferred[call], pos.Line, pos.Column})
		}
		return true
	})
	slices.SortStableFunc(f.ops, func(a, b lockOp) int { return (a.line-b.line)*1000 + a.col - b.col })
}

// lockOps returns the lock operations of a block, but for deferred ones.
func (s *source) lockOps(block int) []lockOp {
	span, _, ok := s.span(block)
	if !ok {
		return nil
	}
	f := s.file(span.File)
	if f == nil {
		return nil
	}
	var ops []lockOp
	for _, op := range f.ops {
		if !op.deferred && s.within(block, op.line, op.col) {
			ops = append(ops, op)
		}
	}
	return ops
}

// within reports whether a position is in a block.
func (s *source) within(block, line, col int) bool {
	b := s.sites.Blocks[block]
	after := line > b.StartLine || line == b.StartLine && col >= b.StartCol
	return after && (line < b.EndLine || line == b.EndLine && col < b.EndCol)
}

// unlocks reports whether a function has a deferred unlock of a lock, and whether
// it has one at all that is not.
func (s *source) unlocks(fn int, name string) (deferred, other bool) {
	fun := s.sites.Funcs[fn]
	f := s.file(s.sites.Files[fun.File].Path)
	if f == nil {
		return false, false
	}
	for _, op := range f.ops {
		if !op.lock && op.name == name && op.line >= fun.Line && op.line <= fun.End {
			deferred, other = deferred || op.deferred, other || !op.deferred
		}
	}
	return deferred, other
}
