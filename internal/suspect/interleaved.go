package suspect

import "fmt"

// interleaved takes in what several goroutines changed, before the check that
// failed looked at it, while they ran at the same time: each step may be guarded,
// and yet what is left depends on how they took turns. It is a last resort, for
// checks that no other goroutine disturbs any more.
func (f *finder) interleaved() {
	d := f.last()
	if d == nil || !f.isAssertion(d) || f.disturbed() {
		return
	}
	near, looked := f.near(d), f.looked(d)
	best, most := 0, 0
	for _, b := range f.Analysis.Together {
		if !f.src.changes(b, near) && !f.src.changes(b, looked) {
			continue
		}
		if t := 10*f.src.touches(b, near) + f.src.touches(b, looked); t > most {
			best, most = b, t
		}
	}
	if best != 0 {
		f.addChange(best, d, 0.815, fmt.Sprintf("goroutines that ran at the same time changed this before it was looked at (%s): what they left depends on how they took turns", f.lookedAt(d)))
	}
}
