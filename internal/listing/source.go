package listing

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// maxSourceFile is the size up to which a source file is read. A larger one is
// generated, and nobody reads it line by line.
const maxSourceFile = 16 << 20

// A Sources gives access to the source code of a result: files, blocks and
// functions, each worked out once.
type Sources struct {
	r      *finding.Result
	files  map[string][]string     // lines by path; nil if it could not be read
	blocks map[int]Place           // by block number
	funcs  map[int][]int           // functions by file, nil until needed
	outer  map[int]int             // outermost enclosing function, by function
	byName map[string]string       // path of a file, by its name in a build with -trimpath
	trees  map[string]*syntax.File // by path; nil if it could not be parsed
}

// A Place is a piece of code of one file.
type Place struct {
	trace.Span
	StartCol int   // 1-based, in bytes; 0 if unknown
	EndCol   int   // exclusive
	Lines    []int // lines of it that hold code
	Func     int   // index in Sites.Funcs, -1 if unknown
	Block    int   // 0 if it is not a block
}

// EndAt leaves of p what was come to if a panic at o, within p, ended it.
func (p *Place) EndAt(o Place) {
	if p.File != o.File || o.Start < p.Start || o.Start >= p.End {
		return
	}
	lines := slices.DeleteFunc(slices.Clone(p.Lines), func(n int) bool { return n > o.Start })
	if len(lines) > 0 {
		p.End, p.EndCol, p.Lines = o.Start, 0, lines
	}
}

// NewSources reads nothing yet.
func NewSources(r *finding.Result) *Sources {
	s := &Sources{
		r: r, files: map[string][]string{}, blocks: map[int]Place{},
		outer: map[int]int{}, byName: map[string]string{}, trees: map[string]*syntax.File{},
	}
	if r.Sites != nil {
		for _, f := range r.Sites.Files {
			s.byName[f.Name] = f.Path
		}
	}
	return s
}

// parse returns the syntax tree of a file, nil if it can't be had.
func (s *Sources) parse(path string) *syntax.File {
	if _, ok := s.trees[path]; !ok {
		file, err := syntax.Parse("", []byte(strings.Join(s.Lines(path), "\n")))
		if err != nil {
			file = nil
		}
		s.trees[path] = file
	}
	return s.trees[path]
}

// Lines returns the lines of the file at path, nil if it can't be had.
func (s *Sources) Lines(path string) []string {
	if l, ok := s.files[path]; ok {
		return l
	}
	var lines []string
	if s.r.Source != nil {
		data, err := s.r.Source(path)
		if err == nil && len(data) <= maxSourceFile {
			text := strings.ReplaceAll(string(data), "\r\n", "\n")
			lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
	}
	s.files[path] = lines
	return lines
}

// Line returns line n of the file at path, "" if there is none.
func (s *Sources) Line(path string, n int) string {
	l := s.Lines(path)
	if n < 1 || n > len(l) {
		return ""
	}
	return l[n-1]
}

// Block returns the place of block b, without the braces around it.
func (s *Sources) Block(b int) (Place, bool) {
	if p, ok := s.blocks[b]; ok {
		return p, true
	}
	if s.r.Sites == nil || !s.r.Sites.Has(b) {
		return Place{}, false
	}
	bl := s.r.Sites.Blocks[b]
	p := Place{
		Span:     trace.Span{File: s.r.Sites.Files[s.r.Sites.FileOf(b)].Path, Start: bl.StartLine, End: bl.EndLine},
		StartCol: bl.StartCol, EndCol: bl.EndCol, Func: bl.Func, Block: b,
	}
	s.trim(&p)
	s.blocks[b] = p
	return p, true
}

// trim moves the ends of p to its first and last token of interest and fills in
// p.Lines. A block as cmd/cover draws it starts at a brace on the line of the
// condition, and a blank line or a comment within it was not "run".
func (s *Sources) trim(p *Place) {
	text, ok := s.text(*p)
	if !ok {
		p.End = min(max(p.End, p.Start), p.Start+10000)
		for n := p.Start; n <= p.End; n++ {
			p.Lines = append(p.Lines, n)
		}
		return
	}
	toks := trimTokens(scan(text))
	if len(toks) == 0 { // an empty body: its opening brace stands for it
		p.End, p.EndCol, p.Lines = p.Start, p.StartCol+1, []int{p.Start}
		return
	}
	line, col := p.Start, p.StartCol
	for _, t := range toks {
		for n := t.line; n <= t.endLine; n++ {
			if l := line + n - 1; len(p.Lines) == 0 || p.Lines[len(p.Lines)-1] != l {
				p.Lines = append(p.Lines, l)
			}
		}
	}
	first, last := toks[0], toks[len(toks)-1]
	p.Start, p.StartCol = line+first.line-1, first.col
	if first.line == 1 {
		p.StartCol += col - 1
	}
	p.End, p.EndCol = line+last.endLine-1, last.endCol
	if last.endLine == 1 {
		p.EndCol += col - 1
	}
}

// text returns the source text of p, and false if the file is not to be had or
// is not the one that was instrumented.
func (s *Sources) text(p Place) (string, bool) {
	lines := s.Lines(p.File)
	if p.Start < 1 || p.End < p.Start || p.End > len(lines) || p.StartCol < 1 || p.EndCol < 1 {
		return "", false
	}
	if p.StartCol-1 > len(lines[p.Start-1]) || p.EndCol-1 > len(lines[p.End-1]) {
		return "", false
	}
	if p.Start == p.End {
		if p.EndCol < p.StartCol {
			return "", false
		}
		return lines[p.Start-1][p.StartCol-1 : p.EndCol-1], true
	}
	parts := append([]string{lines[p.Start-1][p.StartCol-1:]}, lines[p.Start:p.End-1]...)
	return strings.Join(append(parts, lines[p.End-1][:p.EndCol-1]), "\n"), true
}

// holds reports whether function g is a literal in function f, both of one file.
func (s *Sources) holds(f, g int) bool {
	outer, inner := s.r.Sites.Funcs[f], s.r.Sites.Funcs[g]
	if f == g || outer.Line > inner.Line || outer.End < inner.End {
		return false
	}
	return outer.End-outer.Line > inner.End-inner.Line || len(outer.Name) < len(inner.Name)
}

// Outermost returns the function that function f, maybe a literal, stands in.
func (s *Sources) Outermost(f int) int {
	if o, ok := s.outer[f]; ok {
		return o
	}
	best := f
	for _, i := range s.funcsOf(s.r.Sites.Funcs[f].File) {
		if s.holds(i, best) {
			best = i
		}
	}
	s.outer[f] = best
	return best
}

// funcsOf returns the functions of a file.
func (s *Sources) funcsOf(file int) []int {
	if s.funcs == nil {
		s.funcs = map[int][]int{}
		for i, f := range s.r.Sites.Funcs {
			s.funcs[f.File] = append(s.funcs[f.File], i)
		}
	}
	return s.funcs[file]
}

// FuncAt returns the outermost function that holds the line, -1 if none does.
func (s *Sources) FuncAt(path string, line int) int {
	if s.r.Sites == nil {
		return -1
	}
	for n, file := range s.r.Sites.Files {
		if file.Path != path {
			continue
		}
		for _, i := range s.funcsOf(n) {
			if f := s.r.Sites.Funcs[i]; f.Line <= line && line <= f.End {
				return s.Outermost(i)
			}
		}
	}
	return -1
}

// Rel returns the path of a frame's file relative to the module root, and
// whether the file is one of the module's.
func (s *Sources) Rel(file string) (string, bool) {
	file = strings.ReplaceAll(file, `\`, "/")
	if p, ok := s.byName[file]; ok { // -trimpath
		return p, true
	}
	if s.r.Sites != nil && s.r.Sites.Root != "" {
		root := strings.TrimRight(strings.ReplaceAll(s.r.Sites.Root, `\`, "/"), "/") + "/"
		if p, ok := strings.CutPrefix(file, root); ok {
			return p, true
		}
		known := func(f trace.File) bool { return f.Path == file }
		if slices.ContainsFunc(s.r.Sites.Files, known) {
			return file, true
		}
	}
	return file, false
}

// Frame returns the place of f.
func (s *Sources) Frame(f trace.Frame) (Place, bool) {
	if f.File == "" || f.Line <= 0 {
		return Place{}, false
	}
	file, ok := s.Rel(f.File)
	return Place{Span: trace.LineOf(file, f.Line), Lines: []int{f.Line}, Func: s.FuncAt(file, f.Line)}, ok
}

// Quote returns the code of the first or, if last, the last line of p.
func (s *Sources) Quote(p Place, last bool) string {
	if len(p.Lines) == 0 {
		return ""
	}
	n := p.Lines[0]
	if last {
		n = p.Lines[len(p.Lines)-1]
	}
	l := s.Line(p.File, n)
	if n == p.End && p.EndCol > 0 && p.EndCol-1 <= len(l) && !last {
		l = l[:p.EndCol-1]
	}
	if n == p.Start && p.StartCol > 0 && p.StartCol-1 <= len(l) {
		l = l[p.StartCol-1:]
	}
	return strings.TrimSpace(l)
}
