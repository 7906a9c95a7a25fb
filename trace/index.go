package trace

import (
	"encoding/binary"
	"maps"
	"slices"
)

// An indexWriter encodes the index of a kept trace. Strings and places are
// numbered as they come up, and written before what refers to them.
type indexWriter struct {
	b       []byte // the part that refers to strings and places
	strings map[string]uint64
	places  map[Frame]uint64
	// in the order of their numbers
	stringList []string
	placeList  []Frame
}

// appendIndex returns the index of t, whose content is in frames.
func appendIndex(t *Trace, frames []frame) []byte {
	w := &indexWriter{strings: make(map[string]uint64), places: make(map[Frame]uint64)}
	w.stacks(t.Stacks)
	w.tests(t.Tests)
	w.reasons(t.Reasons)
	w.frames(frames)
	w.uint(uint64(len(t.Goroutines)))
	for _, g := range t.Goroutines {
		w.goroutine(g)
	}
	w.acts(t)
	w.notes(t)
	return append(w.tables(t), w.b...)
}

func (w *indexWriter) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *indexWriter) int(v int64)   { w.b = binary.AppendVarint(w.b, v) }

// natural writes a number. No recorded trace has a negative one.
func (w *indexWriter) natural(v int) { w.uint(uint64(max(v, 0))) }

// string writes the number of s.
func (w *indexWriter) string(s string) { w.uint(w.stringNumber(s)) }

func (w *indexWriter) stringNumber(s string) uint64 {
	if s == "" {
		return 0
	}
	n, ok := w.strings[s]
	if !ok {
		w.stringList = append(w.stringList, s)
		n = uint64(len(w.stringList))
		w.strings[s] = n
	}
	return n
}

// place writes the number of f.
func (w *indexWriter) place(f Frame) {
	if f == (Frame{}) {
		w.uint(0)
		return
	}
	n, ok := w.places[f]
	if !ok {
		w.placeList = append(w.placeList, f)
		n = uint64(len(w.placeList))
		w.places[f] = n
	}
	w.uint(n)
}

func (w *indexWriter) stacks(stacks map[uint32][]Frame) {
	w.uint(uint64(len(stacks)))
	for _, hash := range slices.Sorted(maps.Keys(stacks)) {
		w.uint(uint64(hash))
		w.uint(uint64(len(stacks[hash])))
		for _, f := range stacks[hash] {
			w.place(f)
		}
	}
}

func (w *indexWriter) tests(tests []TestRun) {
	w.uint(uint64(len(tests)))
	for _, t := range tests {
		w.string(t.Name)
		w.natural(t.Nth)
		w.int(t.Start)
		w.int(t.End)
	}
}

func (w *indexWriter) reasons(reasons []string) {
	w.uint(uint64(len(reasons)))
	for _, name := range reasons {
		w.string(name)
	}
}

func (w *indexWriter) frames(frames []frame) {
	w.uint(uint64(len(frames)))
	for _, f := range frames {
		w.natural(f.size)
		w.natural(f.events)
	}
}

func (w *indexWriter) goroutine(g *Goroutine) {
	w.b = binary.LittleEndian.AppendUint64(w.b, uint64(g.ID))
	w.b = binary.LittleEndian.AppendUint64(w.b, uint64(g.Parent))
	w.b = binary.LittleEndian.AppendUint64(w.b, g.Class)
	flags := uint64(0)
	if g.Root {
		flags |= flagRoot
	}
	w.uint(flags)
	w.string(g.Test)
	w.natural(g.Nth)
	w.place(g.Spawn)
	w.place(g.Entry)
	w.uint(g.Number)
	w.int(g.Start)
	w.int(g.End)
	w.chunks(g)
	w.stamps(g)
	w.values(g)
}

func (w *indexWriter) chunks(g *Goroutine) {
	n := len(g.Chunks)
	w.natural(n)
	if n == 0 {
		return
	}
	w.natural(g.Chunks[n-1].Len)
	for i, kept := 0, true; i < n; kept = !kept {
		run := 0
		for i+run < n && g.Chunks[i+run].Kept == kept {
			run++
		}
		w.natural(run)
		i += run
	}
	last := g.Start
	for _, c := range g.Chunks {
		w.b = binary.LittleEndian.AppendUint64(w.b, c.Hash)
		w.int(c.Time - last)
		last = c.Time
	}
}

// tables returns the head of the index, up to the table of places. It is made
// last, when all strings and places are known.
func (w *indexWriter) tables(t *Trace) []byte {
	places := &indexWriter{strings: w.strings, stringList: w.stringList}
	places.uint(uint64(len(w.placeList)))
	for _, f := range w.placeList {
		places.string(f.Func)
		places.string(f.File)
		places.natural(f.Line)
	}
	b := binary.AppendUvarint(nil, uint64(max(t.PID, 0)))
	b = appendString(b, t.Truncated)
	b = binary.AppendUvarint(b, uint64(len(places.stringList)))
	for _, s := range places.stringList {
		b = appendString(b, s)
	}
	return append(b, places.b...)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
