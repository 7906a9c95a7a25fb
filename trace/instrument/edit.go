package instrument

import "sort"

// An edit is a list of insertions into a text. It removes nothing, and no insertion contains a
// line break, so line numbers, comments, directives and cgo preambles stay the same.
type edit struct {
	old []byte
	ins []insertion
}

type insertion struct {
	pos  int // offset in the text
	text string
}

func (e *edit) insert(pos int, text string) {
	e.ins = append(e.ins, insertion{pos, text})
}

// bytes returns the text with all insertions. Insertions at one position appear in the order in
// which they were added.
func (e *edit) bytes() []byte {
	sort.SliceStable(e.ins, func(i, j int) bool { return e.ins[i].pos < e.ins[j].pos })
	n := len(e.old)
	for _, in := range e.ins {
		n += len(in.text)
	}
	out := make([]byte, 0, n)
	last := 0
	for _, in := range e.ins {
		out = append(out, e.old[last:in.pos]...)
		out = append(out, in.text...)
		last = in.pos
	}
	return append(out, e.old[last:]...)
}
