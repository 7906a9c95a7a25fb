package runner

import (
	"bytes"
	"io"
)

// A Moved directory is one that a binary knows by another path than the user
// does: the patched standard library it was built with, or a directory of files that
// were unpacked.
type Moved struct{ From, To string }

// copyMoved copies what a process prints, with the paths that the user knows.
func copyMoved(w io.Writer, r io.Reader, list []Moved) {
	var writers []*movedWriter
	for _, m := range list {
		if m.From == "" {
			continue
		}
		mw := newMovedWriter(w, m)
		writers = append(writers, mw)
		w = mw
	}
	io.Copy(w, r)
	for i := range writers { // the outermost first
		writers[len(writers)-1-i].Flush()
	}
}

// A movedWriter passes output on with the user's path in place of the other,
// wherever the text is cut into writes.
type movedWriter struct {
	w        io.Writer
	from, to []byte
	held     []byte // the end of what was written, which may be the beginning of from
}

func newMovedWriter(w io.Writer, m Moved) *movedWriter {
	return &movedWriter{w: w, from: []byte(m.From), to: []byte(m.To)}
}

func (m *movedWriter) Write(b []byte) (int, error) {
	text := append(m.held, b...)
	text = bytes.ReplaceAll(text, m.from, m.to)
	n := len(text) - overlap(text, m.from)
	m.held = bytes.Clone(text[n:])
	if _, err := m.w.Write(text[:n]); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush passes on what turned out not to be the path.
func (m *movedWriter) Flush() {
	m.w.Write(m.held)
	m.held = nil
}

// overlap returns how long the longest end of text is that from begins with,
// but is not all of.
func overlap(text, from []byte) int {
	for n := min(len(text), len(from)-1); n > 0; n-- {
		if bytes.HasSuffix(text, from[:n]) {
			return n
		}
	}
	return 0
}
