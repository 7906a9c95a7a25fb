package runner

import (
	"bytes"
	"io"
)

// A Moved is a directory that a binary knows by another path than the user does, such as one of
// unpacked files.
type Moved struct{ From, To string }

// copyMoved copies the output of a process, with the paths that the user knows.
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

// A movedWriter passes output on, with from replaced by the user's path however the text is cut
// into writes.
type movedWriter struct {
	w        io.Writer
	from, to []byte
	held     []byte // the end of the text written, which may be the beginning of from
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

// Flush passes on text that turned out not to be the path.
func (m *movedWriter) Flush() {
	m.w.Write(m.held)
	m.held = nil
}

// overlap returns the length of the longest end of text that is a proper prefix of from.
func overlap(text, from []byte) int {
	for n := min(len(text), len(from)-1); n > 0; n-- {
		if bytes.HasSuffix(text, from[:n]) {
			return n
		}
	}
	return 0
}
