package experiment

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/perturb"
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
	End       bool          `json:"end,omitempty"`   // where the goroutine ends
	Check     bool          `json:"check,omitempty"` // where a check fails, in the build of the file; else where the goroutine ends
}

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
	Nth   int     `json:"nth,omitempty"`   // among those of its chain, by when they were started, from 0
	Among int     `json:"among,omitempty"` // goroutines that its last go statement started in the runs looked at, by whichever chain; 0 for one
	All   bool    `json:"all,omitempty"`   // all of the chain
	First bool    `json:"first,omitempty"` // of these, only the first that comes there
	ID    uint64  `json:"id,string,omitempty"`
	Class uint64  `json:"class,string,omitempty"`
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

// same reports whether two starts are one, wherever they stand now.
func (s Start) same(o Start) bool { return s.Test == o.Test && s.In == o.In && s.Text == o.Text }

func (s Start) similar(o Start) bool { return s.Test == o.Test && s.In == o.In && s.Entry == o.Entry }

// Unmoved reports whether all that r names stands on the lines where it stood: so the code is
// that of r for those who go by lines, though it may have been built elsewhere or otherwise.
func (r *Replay) Unmoved(source func(string) ([]byte, error)) bool {
	f := newFinder(nil, source, nil)
	list := r.places()
	for i := range r.Cure {
		list = append(list, &r.Cure[i].At)
	}
	if r.Early != nil {
		list = append(list, &r.Early.At)
	}
	list = append(list, r.First, r.Then)
	for _, more := range [][]Place{r.Asked, r.Draws} {
		for i := range more {
			list = append(list, &more[i])
		}
	}
	return !slices.ContainsFunc(list, func(p *Place) bool { return p != nil && !f.stands(p) })
}

// stands reports whether a place, and the statement that starts its goroutine, are on the
// lines that they name.
func (f *finder) stands(p *Place) bool {
	on := func(file string, line int, text string) bool {
		lines := f.file(file)
		return line > 0 && line <= len(lines) && strings.Contains(words(comment.ReplaceAllString(lines[line-1], "")), text)
	}
	if s := p.Goroutine.Started(); s.File != "" && !on(s.File, s.Line, s.Text) {
		return false
	}
	switch {
	case p.File == "":
		return true
	case p.Goroutine == nil: // a draw
		return on(p.File, p.Line, p.Last())
	}
	return on(p.File, p.Line, p.Statement())
}

// A finder describes places, and finds them again.
type finder struct {
	sites  *trace.Sites
	source func(string) ([]byte, error)
	p      *profile
	lines  map[string][]string // of files
	texts  map[int]string      // of blocks
}

func newFinder(sites *trace.Sites, source func(string) ([]byte, error), p *profile) *finder {
	return &finder{sites: sites, source: source, p: p, lines: make(map[string][]string), texts: make(map[int]string)}
}

func (f *finder) file(name string) []string {
	lines, ok := f.lines[name]
	if !ok && f.source != nil {
		if src, err := f.source(name); err == nil {
			lines = strings.Split(string(src), "\n")
		}
		f.lines[name] = lines
	}
	return lines
}

// comment is one at the end of a line. What is in a string may look like one: texts are
// only compared with each other.
var comment = regexp.MustCompile(`(^|\s)//.*$`)

// text returns the source of a block, without comments, spaces made one.
func (f *finder) text(b int) string {
	if t, ok := f.texts[b]; ok {
		return t
	}
	x := f.sites.Blocks[b]
	lines := f.file(f.sites.Files[f.sites.FileOf(b)].Path)
	var parts []string
	for n := x.StartLine; n <= x.EndLine && n <= len(lines); n++ {
		line := lines[n-1]
		if n == x.EndLine {
			line = line[:min(max(x.EndCol-1, 0), len(line))]
		}
		if n == x.StartLine {
			line = line[min(x.StartCol-1, len(line)):]
		}
		if line = strings.Join(strings.Fields(comment.ReplaceAllString(line, "")), " "); line != "" {
			parts = append(parts, line)
		}
	}
	t := strings.Join(parts, "\n")
	f.texts[b] = t
	return t
}

// place describes a site; one without a goroutine is a draw's.
func (f *finder) place(s Site) Place {
	if !f.sites.Has(s.Block) {
		return f.without(s)
	}
	b := f.sites.Blocks[s.Block]
	p := Place{
		File: f.sites.Files[f.sites.FileOf(s.Block)].Path, Line: b.StartLine, Func: f.sites.Funcs[b.Func].Name,
		Text: f.text(s.Block), Hit: s.Hit, Block: s.Block, Event: s.Event,
	}
	if s.ByHit {
		p.Event = 0
	}
	for _, other := range f.alike(p) {
		if other == s.Block {
			break
		}
		p.Nth++
	}
	if s.G.ID == 0 && s.G.Class == 0 { // a draw, which what ends the block makes
		_, p.Line = b.Lines()
		return p
	}
	p.Goroutine = f.reference(s)
	return p
}

// without describes a site that is no block.
func (f *finder) without(s Site) Place {
	return Place{Goroutine: f.reference(s), Block: s.Block, Hit: s.Hit, End: uint32(s.Block) == perturb.End, Check: uint32(s.Block) != perturb.End}
}

func (f *finder) reference(s Site) *GoroutineRef {
	g := f.p.goroutine(s)
	if g == nil {
		return &GoroutineRef{ID: uint64(s.G.ID), Class: s.G.Class}
	}
	return &GoroutineRef{Chain: f.chain(g), Nth: g.Nth, Among: f.among(g), All: s.G.Class != 0, ID: uint64(s.G.ID), Class: s.G.Class}
}

// among returns how many goroutines were started by the statement that started one, 0 if no other was.
func (f *finder) among(g *goroutine) (n int) {
	for _, o := range f.p.Goroutines {
		if !g.Root && !o.Root && o.Spawn == g.Spawn {
			n++
		}
	}
	if n == 1 {
		return 0
	}
	return n
}

// alike returns the blocks in the function of a place that have its text.
func (f *finder) alike(p Place) []int {
	var list []int
	for b := range f.sites.Blocks {
		if f.sites.Has(b) && f.in(b, p) && f.text(b) == p.Text {
			list = append(list, b)
		}
	}
	return list
}

// chain returns how a goroutine came about, as far as that is known.
func (f *finder) chain(g *goroutine) []Start {
	var list []Start
	for depth := 0; g != nil && depth < 100; depth++ {
		if g.Root {
			list = append(list, Start{Test: g.Test})
			break
		}
		list = append(list, f.start(g))
		i := slices.IndexFunc(f.p.Goroutines, func(o *goroutine) bool { return o.ID == g.Parent })
		if i < 0 {
			break
		}
		g = f.p.Goroutines[i]
	}
	slices.Reverse(list)
	return list
}

func (f *finder) start(g *goroutine) Start {
	s := Start{In: g.Spawn.Func, Entry: g.Entry.Func, Line: g.Spawn.Line}
	if rel, ok := f.sites.Rel(g.Spawn.File); ok {
		s.File = rel
		if lines := f.file(rel); g.Spawn.Line >= 1 && g.Spawn.Line <= len(lines) {
			s.Text = strings.TrimSpace(lines[g.Spawn.Line-1])
		}
	}
	return s
}

// find returns the site of a place in the code of f, or what is missing.
func (f *finder) find(p Place) (Site, error) {
	end := uint32(perturb.End)
	block, ok := int(end), true
	if !p.End && !p.Check {
		block, ok = f.block(p)
	}
	if !ok {
		return Site{}, &GoneError{place: p, what: "the statement"}
	}
	if p.Goroutine == nil {
		return Site{Block: block}, nil
	}
	g := f.goroutine(p.Goroutine)
	if g == nil {
		return Site{}, &GoneError{place: p, what: "the goroutine"}
	}
	s := Site{Block: block, Hit: max(p.Hit, 1), Class: g.Class, Test: g.Test}
	if s.G.ID = g.ID; p.Goroutine.All {
		s.G.ID, s.G.Class = 0, g.Class
	}
	return s, nil
}

// block returns the block of a place: with the same text, or else with the first of its
// statements among others, as when what stood around it was changed.
func (f *finder) block(p Place) (int, bool) {
	if list := f.alike(p); len(list) > 0 {
		return list[min(p.Nth, len(list)-1)], true
	}
	first, _, _ := strings.Cut(p.Text, "\n")
	for b := range f.sites.Blocks {
		if f.sites.Has(b) && f.in(b, p) && slices.Contains(strings.Split(f.text(b), "\n"), first) {
			return b, true
		}
	}
	return 0, false
}

// in reports whether a block is in the function of a place.
func (f *finder) in(b int, p Place) bool {
	return f.sites.Funcs[f.sites.Blocks[b].Func].Name == p.Func && f.sites.Files[f.sites.FileOf(b)].Path == p.File
}

// goroutine returns the goroutine that a reference is to: the last one of the chain if
// there are fewer now. If no go statement has the text any more, one in the same
// function that starts the same function is taken.
func (f *finder) goroutine(ref *GoroutineRef) *goroutine {
	for _, alike := range []func(a, b Start) bool{Start.same, Start.similar} {
		var last *goroutine
		for _, g := range f.p.Goroutines {
			if slices.EqualFunc(f.chain(g), ref.Chain, alike) {
				if last = g; g.Nth == ref.Nth {
					break
				}
			}
		}
		if last != nil {
			return last
		}
	}
	return nil
}

// A GoneError says that a place is not in the code any more.
type GoneError struct {
	place Place
	what  string // "the statement", "the goroutine"
}

func (e *GoneError) Error() string {
	where := e.place.Func + ", " + e.place.File
	if e.what == "the goroutine" && e.place.Goroutine != nil {
		if last := e.place.Goroutine.Started(); last.Text != "" {
			return "no goroutine is started by `" + last.Text + "` in " + last.In + " any more"
		}
		return "the goroutine that came to " + where + " is not there any more"
	}
	return e.what + " `" + e.place.Statement() + "` of " + where + " is not there any more"
}
