package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// isNap reports whether the blocks of a finding draw the times of sleeps or timers at random. Then time decides, as it
// may without any of these draws: the draws do not show which goroutine must not be late, and where.
func (b *bench) isNap(f *Finding) bool {
	if b.Source == nil || len(f.blocks) == 0 || f.Kind() != trace.ActRand.String() {
		return false
	}
	return !slices.ContainsFunc(f.blocks, func(block int) bool { return !b.naps(block) })
}

// naps reports whether all numbers that are drawn in the lines of a block are for a sleep or a timer.
func (b *bench) naps(block int) bool {
	span, ok := b.Sites.Pos(block)
	if !ok {
		return false
	}
	src, err := b.Source(span.File)
	if err != nil {
		return false
	}
	return source.DrawsSleep(src, span)
}
