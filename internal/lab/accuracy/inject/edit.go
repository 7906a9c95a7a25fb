package inject

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// An Edit is one change of one file.
type Edit struct {
	cuts    []cut
	near    []extent // where text is deleted: its neighbours
	imports []string // packages that the new text calls, imported as inject<last element>
	decl    string   // a declaration that it needs, added at the end of the file
}

// An extent is a range of bytes of a file before the edit.
type extent struct{ start, end int }

// A cut replaces an extent by a text.
type cut struct {
	extent
	text string
}

// A Range is a range of lines, both ends included.
type Range struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

func (r Range) String() string { return fmt.Sprintf("%d-%d", r.Start, r.End) }

func (r Range) lines() int { return r.End - r.Start + 1 }

// apart returns the distance between two ranges in lines: 0 if they share a line, 1 if they
// touch.
func (r Range) apart(s Range) int { return max(0, s.Start-r.End, r.Start-s.End) }

// An applied is the file after an edit.
type applied struct {
	text  []byte
	lines []Range // of the edit
	fn    Range   // of the function declaration around it; zero if there is none
	name  string  // of that function
}

// apply makes an edit. It fails if the result does not parse.
func (s *source) apply(e Edit) (*applied, error) {
	cuts := slices.Clone(e.cuts)
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.start, b.start) })
	all := slices.Clone(cuts)
	if len(e.imports) > 0 {
		text := ""
		for _, p := range e.imports {
			text += "; import " + alias(p) + " " + strconv.Quote(p)
		}
		at := s.offset(s.file.Name.End())
		all = slices.Insert(all, 0, cut{extent{at, at}, text})
	}
	m := mapping{cuts: all, old: s.text}
	if err := m.write(); err != nil {
		return nil, err
	}
	a := &applied{text: m.text}
	for _, c := range cuts {
		if c.text != "" {
			start := m.moved(c.start, false)
			a.lines = append(a.lines, m.lines(start, start+len(c.text)))
		}
	}
	for _, n := range e.near {
		a.lines = append(a.lines, m.lines(m.moved(n.start, true), m.moved(n.end, true)))
	}
	if fn := s.funcAt(cuts[0].start); fn != nil {
		a.name = fn.Name.Name
		a.fn = m.lines(m.moved(s.offset(fn.Pos()), true), m.moved(s.offset(fn.End()), true))
	}
	if e.decl != "" {
		a.text = append(append(a.text, '\n'), e.decl...)
		a.text = append(a.text, '\n')
	}
	var err error
	a.text, err = blankImports(a.text)
	return a, err
}

// alias returns the name under which an edit imports a package of the standard library, because
// the file may import the package too.
func alias(importPath string) string { return "inject" + lastElement(importPath) }

// lastElement returns the name of a package of the standard library.
func lastElement(importPath string) string { return path.Base(strings.TrimSuffix(importPath, "/v2")) }

// A mapping says where bytes have moved.
type mapping struct {
	cuts []cut
	old  []byte
	text []byte
}

func (m *mapping) write() error {
	at := 0
	for _, c := range m.cuts {
		if c.start < at || c.end < c.start {
			return fmt.Errorf("cuts overlap at byte %d", c.start)
		}
		m.text = append(append(m.text, m.old[at:c.start]...), c.text...)
		at = c.end
	}
	m.text = append(m.text, m.old[at:]...)
	return nil
}

// moved returns the new position of an offset. after says whether text inserted right there comes
// before it.
func (m *mapping) moved(offset int, after bool) int {
	d := 0
	for _, c := range m.cuts {
		if c.end < offset || c.end == offset && (after || c.start < offset) {
			d += len(c.text) - (c.end - c.start)
		}
	}
	return offset + d
}

// lines returns the lines of a range of bytes of the new text.
func (m *mapping) lines(start, end int) Range {
	at := func(n int) int { return 1 + bytes.Count(m.text[:min(max(n, 0), len(m.text))], []byte{'\n'}) }
	return Range{at(start), at(max(start, end-1))}
}

// blankImports makes unused imports blank, so that the rest compiles. Lines stay the same.
func blankImports(text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	used := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, imp := range slices.Backward(f.Imports) {
		if !importUsed(imp, used) {
			start, end := fset.Position(imp.Pos()).Offset, fset.Position(imp.Path.Pos()).Offset
			text = slices.Concat(text[:start], []byte("_ "), text[end:])
		}
	}
	return text, nil
}

// importUsed reports whether an import is used. It returns true for an import of another module
// without a name, because its name can't be derived from its path.
func importUsed(imp *ast.ImportSpec, used map[string]bool) bool {
	if imp.Name != nil {
		return imp.Name.Name == "_" || imp.Name.Name == "." || used[imp.Name.Name]
	}
	name, err := strconv.Unquote(imp.Path.Value)
	if err != nil || !standard(name) {
		return true
	}
	return used[lastElement(name)]
}
