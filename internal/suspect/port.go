package suspect

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// inUse is what an error looks like that says that a network port was taken. The
// words are those of Unix and of Windows.
var inUse = regexp.MustCompile(`:(\d{2,5}): bind: (?:address already in use|Only one usage of each socket address)`)

// fixedPort takes in the places where a port that was in use is written in the
// source: another test or process may hold it, or the system, for a while after
// it was closed. Those in the function that failed come first; a port that was
// drawn or asked for is not found there.
func (f *finder) fixedPort() {
	m := inUse.FindStringSubmatch(f.Message)
	check, ok := f.Sites.Rel(f.Check.File)
	if m == nil || !ok {
		return
	}
	files := []string{check}
	for _, other := range f.Sites.Files {
		if other.Path != check && path.Dir(other.Path) == path.Dir(check) {
			files = append(files, other.Path)
		}
	}
	score := 0.9
	for _, file := range files {
		for _, line := range f.src.portLines(file, m[1], f.Check.Line, file == check) {
			f.add(finding.Suspect{File: file, Start: line, End: line, Score: score,
				Why: fmt.Sprintf("port %s is fixed here, and was in use: whoever had it before may not have given it back yet", m[1])})
			score -= 0.005
		}
	}
}

// portLines returns the lines of a file with a literal that names a port; only
// those of the declaration around a line if it has some and around is set.
func (s *source) portLines(file, port string, line int, around bool) []int {
	p := s.file(file)
	if p.ast == nil {
		return nil
	}
	var near, all []int
	for _, d := range p.ast.Decls {
		for _, at := range p.portsIn(d, port) {
			all = append(all, at)
			if around && p.line(d.Pos()) <= line && line <= p.line(d.End()) {
				near = append(near, at)
			}
		}
	}
	if len(near) > 0 {
		return near
	}
	return all
}

// portsIn returns the lines of literals in a node that are a port, or an address
// or URL with one.
func (p *parsed) portsIn(root ast.Node, port string) (lines []int) {
	ast.Inspect(root, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok {
			return true
		}
		text := lit.Value
		if lit.Kind == token.STRING {
			text, _ = strconv.Unquote(lit.Value)
		}
		_, after, found := strings.Cut(text, ":"+port)
		if text == port || found && (after == "" || after[0] == '/') {
			lines = append(lines, p.line(lit.Pos()))
		}
		return true
	})
	return lines
}
