package divergence

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A failedCheck is where a failing run failed: its first failed check that is not on the path of
// passing runs. If any was made at Input.Check, only those count.
type failedCheck struct {
	reported bool  // it was made at Input.Check
	lane     *lane // nil if none was seen
	pos      int64
	event    trace.Event
	lo       int64 // the time lies between lo and hi, nanoseconds since the process started
	hi       int64

	// cut holds, for each lane with a failed check, the position after it: later events are consequences, not causes.
	cut map[*lane]int64
}

// A checkStack identifies where a check was made.
type checkStack struct {
	event  trace.Event
	kind   trace.CheckKind
	frames []trace.Frame // without those of the runtime; empty if unknown
}

func (a *analysis) stack(run int, e trace.Event) checkStack {
	kind, hash, _ := e.Check()
	s := checkStack{event: e, kind: kind}
	for _, f := range a.in.Runs[run].Trace.Stacks[hash] {
		if !strings.HasPrefix(f.Func, "runtime.") {
			s.frames = append(s.frames, f)
		}
	}
	return s
}

func (c *failedCheck) cuts(l *lane) bool {
	_, ok := c.cut[l]
	return ok
}

// findCheck looks for a failed check in a failing run's stream, from the position on where it
// leaves the passing runs.
func (a *analysis) findCheck(l *lane, run int, from int64) error {
	g := l.streams[run]
	panicked := false
	err := eachChunk(g, from, func(pos int64, events []trace.Event) bool {
		for i, e := range events {
			if !isCheck(e) {
				continue
			}
			at := pos + int64(i)
			switch kind, _, _ := e.Check(); kind {
			case trace.CheckFail, trace.CheckFailNow:
				a.failed(l, run, at, e, true)
				return false
			case trace.CheckPanic:
				if !panicked { // it may be recovered: go on looking
					a.failed(l, run, at, e, false)
					panicked = true
				}
			}
		}
		return true
	})
	return err
}

// reportedAt reports whether a check was made where the failure is reported.
func (a *analysis) reportedAt(run int, e trace.Event) bool {
	at := a.in.Check
	return at.Line > 0 && slices.ContainsFunc(a.stack(run, e).frames, func(f trace.Frame) bool {
		return f.Line == at.Line && path.Base(f.File) == path.Base(at.File)
	})
}

// failed notes a failed check. The earliest one of the run counts; if any is reported, only those
// do. A panic counts only if there is nothing else, because most panics are recovered.
func (a *analysis) failed(l *lane, run int, pos int64, e trace.Event, sure bool) {
	c := &a.checks[run]
	if sure {
		if c.cut == nil {
			c.cut = map[*lane]int64{}
		}
		c.cut[l] = pos + 1
	}
	lo, hi := l.streams[run].Between(pos)
	reported := sure && a.reportedAt(run, e)
	if c.lane != nil && c.reported != reported {
		if c.reported {
			return
		}
	} else if c.lane != nil {
		kind, _, _ := c.event.Check()
		was := kind != trace.CheckPanic
		if was && !sure || was == sure && c.lo <= lo {
			return
		}
	}
	c.lane, c.pos, c.event, c.lo, c.hi, c.reported = l, pos, e, lo, hi, reported
}

// eachChunk calls f with the events of g from position from on, chunk by chunk, until f returns
// false. It skips chunks that were not kept.
func eachChunk(g *trace.Goroutine, from int64, f func(pos int64, events []trace.Event) bool) error {
	var buf []trace.Event
	var off int64
	for i, c := range g.Chunks {
		if end := off + int64(c.Len); end > from && c.Kept {
			var err error
			if buf, err = g.Load(i, buf); err != nil {
				return err
			}
			skip := max(0, from-off)
			if !f(off+skip, buf[skip:]) {
				return nil
			}
		}
		off += int64(c.Len)
	}
	return nil
}

// eachBefore calls f with the events of g before position end, chunk by chunk.
func eachBefore(g *trace.Goroutine, end int64, f func(pos int64, events []trace.Event)) error {
	return eachChunk(g, 0, func(pos int64, events []trace.Event) bool {
		f(pos, events[:max(0, min(int64(len(events)), end-pos))])
		return pos+int64(len(events)) < end
	})
}

// estimate returns a likely time at which g came to position pos: between the bounds, and later
// the further pos is in the range of events that share them. It is for ordering places.
func estimate(g *trace.Goroutine, pos int64) int64 {
	lo, hi := g.Between(pos)
	if hi == math.MaxInt64 {
		return lo
	}
	from, to := g.Burst(pos)
	return lo + int64(float64(hi-lo)*float64(pos-from)/float64(to-from))
}
