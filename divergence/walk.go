package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A member is one run's stream in a walk.
type member struct {
	cursor
	run       int
	failed    bool
	cut       bool  // the stream is not read beyond a failed check
	ended     bool  // its end has been noted
	limit     int64 // where the part being walked ends
	lookahead lookahead
}

// done reports whether the part of the stream being walked is finished.
func (m *member) done() bool { return m.pos >= min(m.limit, m.end) }

// A walker compares all streams of one goroutine at once. They are read in step as long as they
// agree. Where they part, the parting is noted. Those that went the same way are compared with
// each other up to where all meet again (see join), and all go on together from there.
type walker struct {
	lane          *lane
	code          *code
	evidenceTable *evidenceTable
	members       []*member // by run; nil if the run does not have the goroutine
	err           error
	lost          bool // content that was needed was not kept

	children []child  // scratch of partition
	seen     []uint64 // scratch of shared
}

// walk compares ms from their positions to their limits. n is the nesting there.
func (w *walker) walk(ms []*member, n *callStack) {
	for {
		w.advance(ms, n)
		ms = w.live(ms)
		if !mixed(ms) || allDone(ms) {
			return
		}
		w.part(ms, n)
	}
}

// part handles streams that go on differently.
func (w *walker) part(ms []*member, n *callStack) {
	w.snapshot(ms, n)
	children := w.partition(ms)
	j := w.join(ms, n)
	if j.loop >= 0 {
		w.compareLoops(ms, n, j)
	} else {
		w.note(children, n, ms)
		w.descend(children, n, ms, j)
	}
	for i, m := range ms {
		m.pos = j.pos[i]
	}
	if !j.inner {
		n.leave()
	}
}

// descend compares those that went the same way with each other, up to where all meet again.
func (w *walker) descend(children []child, n *callStack, ms []*member, j junction) {
	if len(children) < 2 {
		return
	}
	limits := make([]int64, len(ms))
	for i, m := range ms {
		limits[i], m.limit = m.limit, j.pos[i]
	}
	// partition's scratch is reused below.
	groups := make([][]*member, 0, len(children))
	for _, k := range children {
		if k.fail > 0 && k.pass > 0 && !allDone(k.ms) {
			groups = append(groups, slices.Clone(k.ms))
		}
	}
	for _, g := range groups {
		w.walk(g, n.clone())
	}
	for i, m := range ms {
		m.limit = limits[i]
	}
}

// advance moves all of ms on as long as they agree.
func (w *walker) advance(ms []*member, n *callStack) {
	lead := ms[0]
	for {
		if k := sameChunk(ms); k > 0 && !lead.g.Chunks[at(lead.pos)].Kept {
			n.reset()
			w.lost = true
			for _, m := range ms {
				m.pos += k
			}
			continue
		}
		k := w.agree(ms)
		if k == 0 {
			return
		}
		run, pos := int32(lead.run), lead.pos
		for i, e := range lead.window(lead.pos + int64(k)) {
			n.step(e, run, pos+int64(i))
		}
		for _, m := range ms {
			m.pos += int64(k)
		}
	}
}

// agree returns the number of next events that all of ms share, at most to the end of a chunk.
func (w *walker) agree(ms []*member) int {
	lead := ms[0]
	win := lead.window(lead.limit)
	w.check(&lead.cursor)
	for _, m := range ms[1:] {
		if len(win) == 0 {
			return 0
		}
		if m.pos == lead.pos && lead.chunk < len(m.g.Chunks) &&
			m.g.Chunks[lead.chunk].Hash == lead.g.Chunks[lead.chunk].Hash {
			// It is the same chunk, so there is no need to read it.
			win = win[:max(0, min(int64(len(win)), min(m.limit, m.end)-m.pos))]
			continue
		}
		win = win[:trace.CommonLen(win, m.window(m.limit))]
		w.check(&m.cursor)
	}
	return len(win)
}

// check notes the error that prevented a stream from being read.
func (w *walker) check(c *cursor) {
	w.lost = w.lost || c.lost
	if w.err == nil {
		w.err = c.err
	}
}

// at returns the number of the chunk that pos is in.
func at(pos int64) int { i, _ := locate(pos); return i }

// sameChunk returns the length of the chunk that all of ms are about to enter, or 0 if they are
// about to enter different ones.
func sameChunk(ms []*member) int64 {
	lead := ms[0]
	i, off := locate(lead.pos)
	if lead.pos != off || lead.done() || lead.g.Chunks[i].Kept {
		return 0
	}
	c := lead.g.Chunks[i]
	for _, m := range ms {
		if m.pos != off || i >= len(m.g.Chunks) || m.g.Chunks[i].Hash != c.Hash ||
			min(m.limit, m.end) < off+int64(c.Len) {
			return 0
		}
	}
	return int64(c.Len)
}

// live returns the members whose streams go on, and those that have just ended.
func (w *walker) live(ms []*member) []*member {
	if !slices.ContainsFunc(ms, func(m *member) bool { return m.pos >= m.end }) {
		return ms
	}
	out := make([]*member, 0, len(ms))
	for _, m := range ms {
		if m.pos >= m.end && (m.ended || m.cut || m.lost) {
			continue
		}
		out = append(out, m)
	}
	return out
}

func mixed(ms []*member) bool {
	var fail, pass bool
	for _, m := range ms {
		fail, pass = fail || m.failed, pass || !m.failed
	}
	return fail && pass
}

func allDone(ms []*member) bool {
	for _, m := range ms {
		if !m.done() {
			return false
		}
	}
	return true
}

// snapshot records where the current iteration of each loop began in each of ms, before they part
// and their positions no longer correspond.
func (w *walker) snapshot(ms []*member, n *callStack) {
	lead := ms[0]
	for i := range n.loops {
		l := &n.loops[i]
		same := l.cur.run == int32(lead.run)
		if l.start == nil {
			l.start, l.before = w.backFrom(ms, lead.pos-l.cur.to, same && len(l.old) == 0), l.cur
		}
		if l.at == nil {
			l.at = w.backFrom(ms, lead.pos-l.cur.to, same)
		}
	}
}

// backFrom returns, by run, the positions that many events back in each of ms; -1 for other runs,
// and for all of them if unknown.
func (w *walker) backFrom(ms []*member, back int64, known bool) []int64 {
	at := slices.Repeat([]int64{-1}, len(w.members))
	for _, m := range ms {
		if known {
			at[m.run] = m.pos - back
		}
	}
	return at
}
