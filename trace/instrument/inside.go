package instrument

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// An Inside is a statement that gets a position between what it reads and what it writes. Offsets are in the
// original file, in bytes.
type Inside struct {
	File       string // absolute
	Start, End int
	Text       string // the source from Start to End; a file with another text there is left alone
	Edits      []Edit
}

// An Edit is an insertion. Its text may have these names in it.
type Edit struct {
	Pos  int
	Text string
}

const (
	Amid    = "\x00amid,"  // begins the call that passes the position and returns its other operand
	Local   = "\x00local"  // a variable
	Runtime = "\x00probes" // package fdebugrt
)

// An inside is an Inside of the current file.
type inside struct {
	Inside
	block int // its number
}

// Inside rewrites the same packages into another directory, with further positions inside statements. The numbers of
// blocks stay as they are. That needs the shadow GOROOT.
func (plan *Plan) Inside(out string, more []Inside) (*Plan, error) {
	next, blocks := plan.again(out), plan.blocks()
	next.inside, next.first = append(plan.inside[:len(plan.inside):len(plan.inside)], more...), blocks
	if err := next.rewriteAll(nil); err != nil {
		return nil, err
	}
	if next.blocks() != blocks {
		return nil, ErrChanged
	}
	return next, nil
}

// blocks returns how many blocks there are, positions inside statements left out.
func (plan *Plan) blocks() int {
	n := len(plan.Sites.Blocks)
	for n > 0 && plan.Sites.Blocks[n-1].Kind == trace.BlockInside {
		n--
	}
	return n
}

// addInside adds the positions inside statements to the sites, behind all blocks. One that is in no block has no place
// in the source, and was not rewritten.
func (w *writer) addInside() {
	for i := range w.plan.inside {
		b := w.placed[i]
		if b.Kind != trace.BlockInside {
			b = w.plan.Sites.Blocks[1]
			b.Kind, b.Stmts = trace.BlockInside, 0
		}
		w.plan.Sites.Blocks = append(w.plan.Sites.Blocks, b)
	}
}

// insideOf returns the statements of one file that get a position.
func (w *writer) insideOf(pkg *listed, name string, src []byte) (list []inside) {
	for i, in := range w.plan.inside {
		if len(w.values) == 0 && in.File == name && in.Start >= 0 && in.End <= len(src) && in.Start < in.End && string(src[in.Start:in.End]) == in.Text {
			list = append(list, inside{in, w.plan.first + i})
		}
	}
	if len(list) > 0 && !w.allowGenerics(pkg) {
		return nil
	}
	return list
}

// insides puts the positions inside statements into a file whose blocks begin with number first.
func (r *rewriter) insides(first int) {
	for _, in := range r.names.inside {
		tf := r.fset.File(r.file.FileStart)
		start, end := r.position(tf.Pos(in.Start)), r.position(tf.Pos(in.End))
		fn := r.funcAt(first, start)
		if fn < 0 {
			continue
		}
		r.names.placed[in.block-r.names.first] = trace.Block{Func: fn, Kind: trace.BlockInside, StartLine: start.Line,
			StartCol: start.Column, EndLine: end.Line, EndCol: end.Column}
		names := strings.NewReplacer(Amid, fmt.Sprintf("%s.Amid(%d,", r.names.pkg, in.block), Local, r.names.pos,
			Runtime, r.names.pkg)
		for _, e := range in.Edits {
			r.edit.insert(e.Pos, names.Replace(e.Text))
		}
	}
}

// funcAt returns the function of the last block that begins before a position and contains it, -1 if there is none.
func (r *rewriter) funcAt(first int, p token.Position) int {
	fn := -1
	var from trace.Block
	for _, b := range r.sites.Blocks[first:] {
		begun := b.StartLine < p.Line || b.StartLine == p.Line && b.StartCol <= p.Column
		ended := b.EndLine < p.Line || b.EndLine == p.Line && b.EndCol <= p.Column
		later := b.StartLine > from.StartLine || b.StartLine == from.StartLine && b.StartCol >= from.StartCol
		if begun && !ended && later {
			fn, from = b.Func, b
		}
	}
	return fn
}
