package diagnose

import (
	"go/ast"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// What only this rule says.
const comparedWhy say.Label = "compared in order"

// Where values come from: the order that a map has, the clock, and code that writes to what it was given.
const (
	mapOrder   = "map order"
	theClock   = "the clock"
	writeOrder = "the order of writes"
)

// The failed check compares in order what comes in the order of a map.
var whyAsserted = &kind{
	name: "asserted", claim: finding.Claim{Category: "unordered-collections", Try: finding.TryNothing},
	why:  comparedWhy,
	mark: say.MarkMap,
}

// A comparison is a reason about what the failed check compares.
type comparison struct {
	reason
	drawn trace.Frame // where the order is that of a map
}

func (r comparison) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	w := r.words(nil)
	cause, fix := finding.Iterates(c, line(r.drawn), say.Fails)
	w.Cause, w.Fix = []say.Sentence{cause}, []say.Sentence{fix, say.FixCompare.With()}
	return w
}

// asserted returns where the failed check compares, in order, what has the same elements in failing and in passing
// runs and comes to be in their order by that of a map; nil if the check does not, if something may sort it before,
// or if who makes the list says that it has an order. A list that promises none is not what is to be mended, but who
// relies on one. With evidence, the place of the map order that it is about, and what is compared.
func (s *scene) asserted(e finding.Evidence, drawn trace.Frame) (list []finding.Suspect, compared string) {
	path, ours := s.Sites.Rel(s.Failure.Frame.File)
	if !ours || s.Source.PromisesOrder(drawn.File, drawn.Line) {
		return nil, ""
	}
	by := s.Source.Compared(path, s.Failure.Frame.Line)
	if by == nil {
		return nil, ""
	}
	x, n := s.disordered(by, path)
	if x == nil {
		return nil, ""
	}
	if span, ok := s.comparison(path, by, x); ok {
		list = append(list, seenIn(n, n, at(span, e, comparison{reason{kind: whyAsserted}, drawn})))
	}
	return list, s.Source.Text(x)
}

// disordered returns what is compared, and was recorded with the same content in another order when the check fails,
// and in how many runs; nil if there is nothing.
func (s *scene) disordered(by ast.Node, path string) (ast.Expr, int) {
	for i := range s.Failure.Values {
		v := &s.Failure.Values[i]
		if x := s.operand(v, by, path); x != nil {
			if n := permuted(v); n > 0 {
				return x, n
			}
		}
	}
	return nil, 0
}

// operand returns the expression in a comparison that a value was recorded of, nil if it is
// of another one.
func (s *scene) operand(v *finding.Value, by ast.Node, path string) (found ast.Expr) {
	if f := s.rel(v.At); f.File != path {
		return nil
	}
	ast.Inspect(by, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && found == nil && n != by && s.Source.Line(n) == v.At.Line &&
			s.Source.Text(n) == v.Expr {
			found = x
		}
		return found == nil
	})
	return found
}

// permuted returns in how many failing runs a value was recorded, if all of them had it with the
// same content as a passing one, and in none of the orders that passing ones had; else 0.
func permuted(v *finding.Value) (runs int) {
	orders := make(map[string]bool)
	contents := make(map[string]bool)
	for _, p := range v.Passing {
		if c, ok := contentOf(p.Text); ok {
			contents[c], orders[p.Text] = true, true
		}
	}
	for _, f := range v.Failing {
		c, ok := contentOf(f.Text)
		if !ok || !contents[c] || orders[f.Text] {
			return 0
		}
		runs += len(f.Runs)
	}
	return runs
}

// comparison returns the lines from where an operand comes to be in the function of a
// comparison to that, or those of the check if these are too many.
func (s *scene) comparison(path string, by ast.Node, x ast.Expr) (span trace.Span, ok bool) {
	line := s.Source.Line(by)
	entry := s.Source.Entry(x, line-maxWindow+1)
	if entry.Sorted || entry.Given {
		return span, false
	}
	span = trace.Span{File: path, Start: min(entry.Line, line), End: line}
	if n := s.Failure.Frame.Line; n > line && n-span.Start < maxWindow {
		span.End = n
	}
	return span, true
}
