package suspect

import (
	"bytes"
	"go/scanner"
	"go/token"
	"regexp"

	"github.com/fdebug/fdebug/trace"
)

// A source answers questions about the text of blocks. It reads tokens, not
// types: what it says is a hint for the order of suspects, never evidence.
type source struct {
	read  func(path string) ([]byte, error)
	lines map[string][][]byte
}

func newSource(read func(string) ([]byte, error)) *source {
	return &source{read: read, lines: make(map[string][][]byte)}
}

// text returns lines first..last of a file.
func (s *source) text(path string, first, last int) []byte {
	lines, ok := s.lines[path]
	if !ok {
		if data, err := s.read(path); err == nil {
			lines = bytes.Split(data, []byte("\n"))
		}
		s.lines[path] = lines
	}
	first, last = max(first, 1), min(last, len(lines))
	if first > last {
		return nil
	}
	return bytes.Join(lines[first-1:last], []byte("\n"))
}

func (s *source) block(sites *trace.Sites, b int) []byte {
	span, ok := sites.Pos(b)
	if !ok {
		return nil
	}
	return s.text(span.File, span.Start, span.End)
}

// timedWait is what source looks like that waits for a time.
var timedWait = regexp.MustCompile(`\b(Sleep|After|Tick|NewTimer|NewTicker|WithTimeout|WithDeadline|Eventually\w*|Never)\(`)

// timed reports whether the text of a block waits for a time.
func (s *source) timed(sites *trace.Sites, b int) bool {
	return timedWait.Match(s.block(sites, b))
}

// selectors returns the names after a dot in a block: fields and methods.
func (s *source) selectors(sites *trace.Sites, b int) map[string]bool {
	return selectorsIn(s.block(sites, b))
}

// funcSelectors returns those of the whole function that a block is in.
func (s *source) funcSelectors(sites *trace.Sites, b int) map[string]bool {
	if !sites.Has(b) {
		return nil
	}
	fn := sites.Funcs[sites.Blocks[b].Func]
	return selectorsIn(s.text(sites.Files[fn.File].Path, fn.Line, fn.End))
}

func selectorsIn(text []byte) map[string]bool {
	names := make(map[string]bool)
	eachToken(text, func(prev, tok token.Token, lit string) {
		if prev == token.PERIOD && tok == token.IDENT {
			names[lit] = true
		}
	})
	return names
}

// touches scores how much a block has to do with the given names: one for each
// that it mentions, more if it seems to change one.
func (s *source) touches(sites *trace.Sites, b int, names map[string]bool) int {
	score, last := 0, false
	eachToken(s.block(sites, b), func(prev, tok token.Token, lit string) {
		switch {
		case prev == token.PERIOD && tok == token.IDENT && names[lit] && !locks[lit]:
			score++
			last = true
		case last && (tok == token.ASSIGN || tok == token.INC || tok == token.DEC || tok == token.ADD_ASSIGN || tok == token.ARROW):
			score += 3
			last = false
		}
	})
	return score
}

// locks are names that both sides mention whatever they do.
var locks = map[string]bool{"Lock": true, "Unlock": true, "RLock": true, "RUnlock": true, "mu": true, "Errorf": true, "Fatalf": true}

// eachToken calls f for each token of a piece of Go source.
func eachToken(text []byte, f func(prev, tok token.Token, lit string)) {
	var sc scanner.Scanner
	fset := token.NewFileSet()
	sc.Init(fset.AddFile("", fset.Base(), len(text)), text, func(token.Position, string) {}, 0)
	prev := token.ILLEGAL
	for {
		_, tok, lit := sc.Scan()
		if tok == token.EOF {
			return
		}
		f(prev, tok, lit)
		prev = tok
	}
}
