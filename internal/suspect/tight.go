package suspect

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// A limit is a limit of time that is written in the source.
type limit struct {
	file string
	line int
	time time.Duration
}

// duration is what a constant time looks like.
var duration = regexp.MustCompile(`\b(?:(\d+)\s*\*\s*)?time\.(Nanosecond|Microsecond|Millisecond|Second|Minute|Hour)\b(?:\s*\*\s*(\d+))?`)

var units = map[string]time.Duration{
	"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
	"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
}

// limiting is what a line looks like that sets a limit of time.
var limiting = regexp.MustCompile(`(?i)timeout|deadline|limit|expir|ttl\b|lease|within`)

// tight takes in a limit of time, set on the way to where runs part, that is so
// short that some runs exceed it: failing runs waited for longer than that before
// they parted, and passing runs for less. Passing runs must have come near it: who
// waits in vain exceeds any limit.
func (f *finder) tight() {
	last := f.last()
	if last == nil || f.explained(len(f.Analysis.Chain)-1) {
		return
	}
	var best limit
	var at divergence.Held
	var table divergence.Table
	for _, l := range f.limitsSet(last) {
		for _, h := range f.Analysis.Held {
			t := h.At(int64(l.time))
			if f.waitsItself(h, l) || !near(h, l) || !telling(t) {
				continue
			}
			if x := excess(t) - excess(table); x > 0 || x == 0 && l.time > best.time {
				best, at, table = l, h, t
			}
		}
	}
	if best.file == "" {
		return
	}
	span, _ := f.Sites.Pos(at.Block)
	f.add(finding.Suspect{File: best.file, Start: best.line, End: best.line, Score: 0.875,
		Why: fmt.Sprintf("a limit of %s, which runs come near to: the wait at line %d was longer than that %s", best.time, span.End, ofRuns(table))})
}

// telling reports whether a table goes with the outcome too well for chance.
func telling(t divergence.Table) bool {
	return excess(t) >= 0.7 && (t.Fisher() <= 0.01 || t.Perfect())
}

// near reports whether a passing run waited for a tenth of a limit.
func near(h divergence.Held, l limit) bool {
	return h.At(int64(l.time)/10).PassTaken > 0
}

// waitsItself reports whether a limit is that of the wait itself: who gives up
// after it says when, not why.
func (f *finder) waitsItself(h divergence.Held, l limit) bool {
	span, ok := f.Sites.Pos(h.Block)
	return !ok || span.File == l.file && span.Start <= l.line && l.line <= span.End
}

// limitsSet returns the limits of time in the code that was run before a divergence.
func (f *finder) limitsSet(d *divergence.Divergence) []limit {
	var list []limit
	for _, c := range d.Common {
		span, ok := f.Sites.Pos(c.Block)
		if !ok {
			continue
		}
		for line := span.Start; line <= span.End; line++ {
			text := f.src.text(span.File, line, line)
			if !limiting.Match(text) {
				continue
			}
			for _, m := range duration.FindAllSubmatch(text, -1) {
				list = append(list, limit{span.File, line, durationOf(m)})
			}
		}
	}
	return list
}

// durationOf returns the time that a match of duration says.
func durationOf(m [][]byte) time.Duration {
	d := units[string(m[2])]
	for _, factor := range [][]byte{m[1], m[3]} {
		if n, err := strconv.Atoi(string(factor)); err == nil {
			d *= time.Duration(n)
		}
	}
	return d
}
