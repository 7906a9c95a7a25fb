package analyze

import (
	"context"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// choice returns where a choice of a kind is made that comes after the event of a block.
func (an *Analyzer) choice(ctx context.Context, at *proof.Place, block trace.Span, kind trace.ActKind) finding.Span {
	x := an.Load(ctx, an.packagesAt([]int{at.Block}))
	drawn := onWay(x.Drawn(at.Block, func(o *source.Op) bool { return chooses(o, kind) }), at)
	if walks := x.Ranges(at.Block); kind == trace.ActMap && len(drawn) == 0 && len(walks) == 1 {
		file, line := x.Place(walks[0])
		return trace.LineOf(file, line)
	}
	switch {
	case len(drawn) == 0 && len(x.Block(at.Block, source.Call)) == 0: // the function that was called has returned
		return an.calledAt(x, at, block)
	case len(drawn) == 0, len(drawn) > 1 && drawn[0].Block != at.Block:
		return trace.LineOf(block.File, block.End)
	}
	last := drawn[len(drawn)-1]
	file, line := x.Place(last)
	return finding.Span{File: file, Start: x.Line(drawn[0].Node), End: line}
}

// onWay returns those of some operations that a goroutine has come by to a place, or all if it is not known which.
func onWay(drawn []*source.Op, at *proof.Place) []*source.Op {
	on := slices.DeleteFunc(slices.Clone(drawn), func(o *source.Op) bool {
		by := slices.ContainsFunc(at.Path, func(c divergence.Call) bool { return c.Block == o.Block })
		return o.Block != at.Block && !by
	})
	if len(on) == 0 {
		return drawn
	}
	return on
}

// calledAt returns where the function of a place was called from, be it by what has no probes: that goes on when the
// function has returned. If it is not known, it is the last line of the block.
func (an *Analyzer) calledAt(x *source.Index, at *proof.Place, block trace.Span) finding.Span {
	if steps := x.Callers(at.Path, false); len(steps) > 0 {
		if from := steps[len(steps)-1].From; from.Line > 0 {
			return trace.LineOf(from.File, from.Line)
		}
	}
	return trace.LineOf(block.File, block.End)
}

// chooses reports whether an operation makes choices of a kind.
func chooses(o *source.Op, kind trace.ActKind) bool {
	switch kind {
	case trace.ActMap:
		return o.How == "map order"
	case trace.ActSelect:
		return o.How == "select" || o.How == "poll"
	}
	if kind >= trace.ActClock { // of the others the index does not know
		return kind == trace.ActClock && strings.HasPrefix(o.How, "time.Now")
	}
	return strings.Contains(o.How, "math/rand") || strings.HasPrefix(o.How, "hash/maphash")
}
