package proof

import (
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A Place is a position that can be found again: in the same build by its numbers, in
// one of edited source by function and text.
type Place struct {
	Goroutine *GoroutineRef `json:"goroutine,omitempty"` // nil for any, of a draw
	File      string        `json:"file"`                // relative to the module's root, with slashes
	Line      int           `json:"line"`                // when it was written; not used to find it
	Func      string        `json:"func"`
	Text      string        `json:"text"`          // of the statements of the block, a line each
	Nth       int           `json:"nth,omitempty"` // among blocks of the function with this text, from 0
	Hit       int           `json:"hit,omitempty"` // how often the goroutine has come there, from 1
	Block     int           `json:"block"`         // exact, in the build of the file
	Event     int64         `json:"event,omitempty"`
	Inside    bool          `json:"inside,omitempty"` // between what the statement reads and what it writes
	End       bool          `json:"end,omitempty"`    // where the goroutine ends
	// where a check fails, in the build of the file; else where the goroutine ends
	Check bool `json:"check,omitempty"`
	// Shown are the lines that say where it is: the statements of the block or, of a choice, where it is made.
	Shown Span `json:"shown,omitzero"`
	// Path is by which calls the goroutine comes there, by the numbers of the build; nil if that is not known.
	Path []divergence.Call `json:"path,omitempty"`
}

// A Span is lines of a file, with its path relative to the module's root.
type Span = trace.Span

// Statement returns the first line of the place's text.
func (p Place) Statement() string {
	first, _, _ := strings.Cut(p.Text, "\n")
	return first
}

// Last returns the last line of the place's text.
func (p Place) Last() string { return p.Text[strings.LastIndexByte(p.Text, '\n')+1:] }

// A GoroutineRef says which goroutine, or which goroutines, a place is of.
type GoroutineRef struct {
	// Chain is how it came about: the test first, then each go statement.
	Chain []Start `json:"chain"`
	Nth   int     `json:"nth,omitempty"` // among those of its chain, by when they were started, from 0
	// goroutines that its last go statement started in the runs looked at, by whichever chain; 0 for one
	Among int    `json:"among,omitempty"`
	All   bool   `json:"all,omitempty"`   // all of the chain
	First bool   `json:"first,omitempty"` // of these, only the first that comes there
	ID    uint64 `json:"id,string,omitempty"`
	Class uint64 `json:"class,string,omitempty"`
}

// Started returns the last link of the chain, zero if there is none.
func (g *GoroutineRef) Started() Start {
	if g == nil || len(g.Chain) == 0 {
		return Start{}
	}
	return g.Chain[len(g.Chain)-1]
}

// A Start is a test, or a go statement (or a call of time.AfterFunc).
type Start struct {
	Test  string `json:"test,omitempty"`
	In    string `json:"in,omitempty"`    // function that the statement stands in
	Text  string `json:"text,omitempty"`  // its first line
	Entry string `json:"entry,omitempty"` // function that it starts
	Line  int    `json:"line,omitempty"`
	File  string `json:"file,omitempty"`
}

// held reports whether a place is one where a goroutine can be held, or waited for.
func (p Place) held() bool {
	return p.Goroutine != nil && p.Goroutine.ID == 0 != (p.Goroutine.Class == 0) && (p.Block > 0 || p.End || p.Check) &&
		p.Hit >= 0 && p.Event >= 0 && p.Nth >= 0
}

// draws reports whether a place is one after which something is drawn or asked for.
func (p Place) draws() bool { return p.Block > 0 && p.Nth >= 0 }

// collects reports whether a place is one before which garbage can be collected.
func (p Place) collects() bool {
	return p.Goroutine != nil && p.Goroutine.ID == 0 != (p.Goroutine.Class == 0) && p.Block > 0 && p.Event >= 0
}

// same reports whether two places are one, in one build.
func (p *Place) same(o *Place) bool {
	if p == nil || o == nil {
		return p == o
	}
	g, h := p.Goroutine, o.Goroutine
	return p.Block == o.Block && p.Hit == o.Hit && p.Event == o.Event && (g == nil) == (h == nil) &&
		(g == nil || g.ID == h.ID && g.Class == h.Class)
}
