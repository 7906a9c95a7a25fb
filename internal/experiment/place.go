package experiment

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// sameStart reports whether two starts are one, on any line.
func sameStart(s, o proof.Start) bool { return s.Test == o.Test && s.In == o.In && s.Text == o.Text }

func similar(s, o proof.Start) bool { return s.Test == o.Test && s.In == o.In && s.Entry == o.Entry }

// Unmoved reports whether all places of p are on the lines where they were: so by its lines, the
// code is that of p, though it may have been built elsewhere or otherwise.
func Unmoved(p *proof.Proof, source func(string) ([]byte, error)) bool {
	f := newFinder(nil, source, nil)
	return !slices.ContainsFunc(p.Places(), func(at *proof.Place) bool { return !f.stands(at) })
}

// stands reports whether a place, and the statement that starts its goroutine, are on the lines that they name.
func (f *finder) stands(p *proof.Place) bool {
	on := func(file string, line int, text string) bool {
		lines := f.file(file)
		return line > 0 && line <= len(lines) &&
			strings.Contains(proof.Words(comment.ReplaceAllString(lines[line-1], "")), text)
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
	moved  Moved               // nil if it is not known what was edited
}

// A Moved says where a line of the code of a proof is in the code of today; false if it is not there as it was.
type Moved func(file string, line int) (string, int, bool)

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

// comment is one at the end of a line. A string may have something like one: texts are only compared with each other.
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
func (f *finder) place(s Site) proof.Place {
	if !f.sites.Has(s.Block) {
		return f.without(s)
	}
	b := f.sites.Blocks[s.Block]
	p := proof.Place{
		File: f.sites.Files[f.sites.FileOf(s.Block)].Path, Line: b.StartLine, Func: f.sites.Funcs[b.Func].Name,
		Text: f.text(s.Block), Hit: s.Hit, Block: s.Block, Event: s.Event, Shown: f.span(s.Block),
		Inside: b.Kind == trace.BlockInside,
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
	if s.G.ID == 0 && s.G.Class == 0 { // a draw, made by the end of the block
		_, p.Line = b.Lines()
		return p
	}
	p.Goroutine = f.reference(s)
	return p
}

// without describes a site that is no block.
func (f *finder) without(s Site) proof.Place {
	return proof.Place{Goroutine: f.reference(s), Block: s.Block, Hit: s.Hit, End: uint32(s.Block) == freedom.End,
		Check: uint32(s.Block) != freedom.End}
}

func (f *finder) reference(s Site) *proof.GoroutineRef {
	g := f.p.goroutine(s)
	if g == nil {
		return &proof.GoroutineRef{ID: uint64(s.G.ID), Class: s.G.Class}
	}
	return &proof.GoroutineRef{Chain: f.chain(g), Nth: g.Nth, Among: f.among(g), All: s.G.Class != 0,
		ID: uint64(s.G.ID), Class: s.G.Class}
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
func (f *finder) alike(p proof.Place) []int {
	var list []int
	for b := range f.sites.Blocks {
		if f.sites.Has(b) && f.in(b, p) && f.text(b) == p.Text {
			list = append(list, b)
		}
	}
	return list
}

// chain returns how a goroutine came about, as far as that is known.
func (f *finder) chain(g *goroutine) []proof.Start {
	var list []proof.Start
	for depth := 0; g != nil && depth < 100; depth++ {
		if g.Root {
			list = append(list, proof.Start{Test: g.Test})
			break
		}
		list = append(list, f.start(g))
		g = f.p.withID(g.Parent)
	}
	slices.Reverse(list)
	return list
}

func (f *finder) start(g *goroutine) proof.Start {
	s := proof.Start{In: g.Spawn.Func, Entry: g.Entry.Func, Line: g.Spawn.Line}
	if rel, ok := f.sites.Rel(g.Spawn.File); ok {
		s.File = rel
		if lines := f.file(rel); g.Spawn.Line >= 1 && g.Spawn.Line <= len(lines) {
			s.Text = strings.TrimSpace(lines[g.Spawn.Line-1])
		}
	}
	return s
}

// find returns the site of a place in the code of f, or a [GoneError].
func (f *finder) find(p proof.Place) (Site, error) {
	end := uint32(freedom.End)
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
	s := Site{Block: block, Hit: max(p.Hit, 1), Class: g.Class}
	if s.G.ID = g.ID; p.Goroutine.All {
		s.G.ID, s.G.Class = 0, g.Class
	}
	return s, nil
}

// block returns the block of a place: with the same text, or else with the first of its
// statements among others, as when the code around it was changed.
func (f *finder) block(p proof.Place) (int, bool) {
	if list := f.alike(p); len(list) > 0 {
		return list[min(p.Nth, len(list)-1)], true
	}
	first, _, _ := strings.Cut(p.Text, "\n")
	for b := range f.sites.Blocks {
		if f.sites.Has(b) && f.in(b, p) && slices.Contains(strings.Split(f.text(b), "\n"), first) {
			return b, true
		}
	}
	return f.movedBlock(p)
}

// movedBlock returns the shortest block at the line to which that of a place was moved.
func (f *finder) movedBlock(p proof.Place) (best int, ok bool) {
	if f.moved == nil {
		return 0, false
	}
	file, line, ok := f.moved(p.File, p.Line)
	if !ok {
		return 0, false
	}
	size := func(b int) int { return f.sites.Blocks[b].EndLine - f.sites.Blocks[b].StartLine }
	for b := range f.sites.Blocks {
		if f.sites.Has(b) && p.Inside == (f.sites.Blocks[b].Kind == trace.BlockInside) && f.sites.Files[f.sites.FileOf(b)].Path == file &&
			f.sites.Blocks[b].StartLine <= line && line <= f.sites.Blocks[b].EndLine && (best == 0 || size(b) < size(best)) {
			best = b
		}
	}
	return best, best > 0
}

// movedStart reports whether one start, of the proof, is another after it was moved.
func (f *finder) movedStart(now, was proof.Start) bool {
	if was.Test != "" || f.moved == nil {
		return now.Test == was.Test && now.Test != ""
	}
	file, line, ok := f.moved(was.File, was.Line)
	return ok && file == now.File && line == now.Line
}

// in reports whether a block is in the function of a place, and like it a position inside a statement or none.
func (f *finder) in(b int, p proof.Place) bool {
	return p.Inside == (f.sites.Blocks[b].Kind == trace.BlockInside) && f.sites.Funcs[f.sites.Blocks[b].Func].Name == p.Func && f.sites.Files[f.sites.FileOf(b)].Path == p.File
}

// goroutine returns the goroutine that a reference is to: the last one of the chain if there are fewer now. If no go
// statement has the text any more, one in the same function that starts the same function is taken, or the one that was
// moved.
func (f *finder) goroutine(ref *proof.GoroutineRef) *goroutine {
	for _, alike := range []func(a, b proof.Start) bool{sameStart, similar, f.movedStart} {
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
	place proof.Place
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
