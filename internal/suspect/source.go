package suspect

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"

	"github.com/fdebug/fdebug/trace"
)

// A source answers questions about the text of blocks. It reads syntax, not
// types: what it says is a hint for the order of suspects, never evidence.
type source struct {
	read    func(path string) ([]byte, error)
	sites   *trace.Sites
	files   map[string]*parsed
	globals map[string]map[string]bool // by directory: names of package variables
	known   map[int][2]names           // by block: what names returned
}

// A parsed file. All is empty if it could not be read.
type parsed struct {
	lines [][]byte
	fset  *token.FileSet
	ast   *ast.File // nil if it has no syntax tree
	// shared holds what sharedIn returned, by function.
	shared map[*ast.FuncDecl]names
}

func newSource(sites *trace.Sites, read func(string) ([]byte, error)) *source {
	return &source{read: read, sites: sites, files: make(map[string]*parsed), globals: make(map[string]map[string]bool), known: make(map[int][2]names)}
}

func (s *source) file(path string) *parsed {
	if p, ok := s.files[path]; ok {
		return p
	}
	p := &parsed{fset: token.NewFileSet(), shared: make(map[*ast.FuncDecl]names)}
	s.files[path] = p
	data, err := s.read(path)
	if err != nil {
		return p
	}
	p.lines = bytes.Split(data, []byte("\n"))
	if f, err := parser.ParseFile(p.fset, path, data, parser.SkipObjectResolution); err == nil {
		p.ast = f
	}
	return p
}

// text returns lines first..last of a file.
func (s *source) text(path string, first, last int) []byte {
	lines := s.file(path).lines
	first, last = max(first, 1), min(last, len(lines))
	if first > last {
		return nil
	}
	return bytes.Join(lines[first-1:last], []byte("\n"))
}

func (s *source) block(b int) []byte {
	span, ok := s.sites.Pos(b)
	if !ok {
		return nil
	}
	return s.text(span.File, span.Start, span.End)
}

// parse returns the file of a block, nil if it has no syntax tree.
func (s *source) parse(b int) *parsed {
	if !s.sites.Has(b) {
		return nil
	}
	p := s.file(s.sites.Files[s.sites.FileOf(b)].Path)
	if p.ast == nil {
		return nil
	}
	return p
}

// in reports whether a position lies within a block.
func (p *parsed) in(pos token.Pos, b trace.Block) bool {
	at := p.fset.PositionFor(pos, false)
	return !before(at.Line, at.Column, b.StartLine, b.StartCol) && before(at.Line, at.Column, b.EndLine, b.EndCol)
}

// around reports whether a block begins within a node.
func (p *parsed) around(n ast.Node, b trace.Block) bool {
	from, to := p.fset.PositionFor(n.Pos(), false), p.fset.PositionFor(n.End(), false)
	return !before(b.StartLine, b.StartCol, from.Line, from.Column) && before(b.StartLine, b.StartCol, to.Line, to.Column)
}

func before(line, col, thanLine, thanCol int) bool {
	return line < thanLine || line == thanLine && col < thanCol
}

// timedWait is what source looks like that waits for a time.
var timedWait = regexp.MustCompile(`\b(Sleep|After|Tick|NewTimer|NewTicker|WithTimeout|WithDeadline|Eventually\w*|Never)\(`)

// deadline is what source looks like that sets a limit of time for others.
var deadline = regexp.MustCompile(`\b(WithTimeout|WithDeadline|WithTimeoutCause|WithDeadlineCause|SetDeadline|SetReadDeadline)\(`)

// expired is what a case of a select looks like that is ready when time is over.
var expired = regexp.MustCompile(`case\s.*<-\s*(\w+\.)*(ctx\w*\.Done\(\)|time\.After\(|[tT]imeout|[dD]eadline|\w*[tT]imer\w*\.C\b|Context\(\)\.Done\(\))`)

// locking is what source looks like that waits for a lock.
var locking = regexp.MustCompile(`\.(R?Lock|Acquire)\(`)

// joining is what source looks like that waits for other goroutines for as long
// as it takes.
var joining = regexp.MustCompile(`\.Wait\(\)`)

// timed reports whether the text of a block waits for a time, and not just
// until it looks again.
func (s *source) timed(b int) bool {
	return timedWait.Match(s.block(b)) && !s.polls(b)
}

// until is what source looks like that waits until something has come true.
var until = regexp.MustCompile(`\bEventually\w*\(`)

// waitsFor says what a block that waits for a time waits for.
func (s *source) waitsFor(b int) string {
	if until.Match(s.block(b)) {
		return "waits for something else to come true"
	}
	return "waits for a time"
}

// polls reports whether a block is in a loop that is left when something has
// come true: an if in it returns or breaks, or it has a condition with a call.
func (s *source) polls(b int) bool {
	p := s.parse(b)
	if p == nil {
		return false
	}
	found := false
	ast.Inspect(p.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			if p.around(n.Body, s.sites.Blocks[b]) || n.Post != nil && p.around(n.Post, s.sites.Blocks[b]) {
				found = found || leaves(n.Body) || calls(n.Cond)
			}
		case *ast.RangeStmt:
			found = found || p.around(n.Body, s.sites.Blocks[b]) && leaves(n.Body)
		case *ast.FuncDecl:
			return p.around(n, s.sites.Blocks[b])
		}
		return true
	})
	return found
}

// leaves reports whether the body of a loop has an if of its own that ends it
// without having failed.
func leaves(body *ast.BlockStmt) bool {
	for _, stmt := range body.List {
		cond, ok := stmt.(*ast.IfStmt)
		if !ok || len(cond.Body.List) == 0 {
			continue
		}
		switch last := cond.Body.List[len(cond.Body.List)-1].(type) {
		case *ast.ReturnStmt:
			return true
		case *ast.BranchStmt:
			if last.Tok == token.BREAK {
				return true
			}
		}
	}
	return false
}

func calls(x ast.Expr) bool {
	found := false
	if x != nil {
		ast.Inspect(x, func(n ast.Node) bool {
			_, call := n.(*ast.CallExpr)
			found = found || call
			return !found
		})
	}
	return found
}

// packageVars returns the names of the variables of the package in a directory,
// as far as its files are among those of the table.
func (s *source) packageVars(dir string) map[string]bool {
	if names, ok := s.globals[dir]; ok {
		return names
	}
	names := make(map[string]bool)
	s.globals[dir] = names
	for _, f := range s.sites.Files {
		if path.Dir(f.Path) != dir {
			continue
		}
		p := s.file(f.Path)
		if p.ast == nil {
			continue
		}
		for _, d := range p.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				addVars(names, g)
			}
		}
	}
	return names
}

func addVars(names map[string]bool, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			names[id.Name] = true
		}
	}
}
