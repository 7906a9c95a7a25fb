package diagnose

import (
	"go/ast"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// mapOrder is where a value comes from whose order a map decides.
const mapOrder = "map order"

// asserted returns where the failed check compares, in order, what has the same elements in
// failing and in passing runs and comes to be in their order by that of a map; nil if
// the check does not, if something may sort it before, or if who makes the list says that it has
// an order. A list that promises none is not what is to be mended, but who relies on one. With evidence, and the place of the
// map order that it is about.
func (s *scene) asserted(e finding.Evidence, r finding.Reason) []finding.Suspect {
	path, ours := s.Sites.Rel(s.Failure.Frame.File)
	if !ours || s.Source.PromisesOrder(r.Then.File, r.Then.Line) {
		return nil
	}
	by := s.Source.Compared(path, s.Failure.Frame.Line)
	if by == nil {
		return nil
	}
	x, o := s.disordered(by, path)
	if x == nil {
		return nil
	}
	span, ok := s.comparison(path, by, x)
	if !ok {
		return nil
	}
	r.Kind, r.Code, r.Seen, r.Of = finding.ReasonAsserted, s.Source.Text(x), o.seen, o.of
	r.Within, r.Said, r.Since = !o.list, o.said, s.Source.Line(by)
	return []finding.Suspect{at(span, e, r)}
}

// disordered returns what is compared, and has the same content in another order when the
// check fails: by the values that were recorded or, if there are none of it, by what the check said. It
// is nil if there is nothing.
func (s *scene) disordered(by ast.Node, path string) (ast.Expr, orderings) {
	recorded := make(map[ast.Expr]bool)
	for i := range s.Failure.Values {
		v := &s.Failure.Values[i]
		x := s.operand(v, by, path)
		if x == nil {
			continue
		}
		recorded[x] = true
		if o, ok := permuted(v); ok {
			return x, o
		}
	}
	x := s.Source.Actual(by)
	if o, ok := saidPermuted(s.Failure); x != nil && !recorded[x] && ok {
		o.said = true
		return x, o
	}
	return nil, orderings{}
}

// operand returns the expression in a comparison that a value was recorded of, nil if it is
// of another one.
func (s *scene) operand(v *finding.Value, by ast.Node, path string) (found ast.Expr) {
	if f := s.rel(v.At); f.File != path {
		return nil
	}
	ast.Inspect(by, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && found == nil && n != by && s.Source.Line(n) == v.At.Line && s.Source.Text(n) == v.Expr {
			found = x
		}
		return found == nil
	})
	return found
}

// An orderings counts failing runs in which a value had another order.
type orderings struct {
	seen, of int
	list     bool // the value itself is a list
	said     bool // by what the check said
}

// permuted reports whether all failing runs in which a value was recorded had it with the
// same content as a passing one, and in none of the orders of those.
func permuted(v *finding.Value) (o orderings, ok bool) {
	orders := make(map[string]bool)
	contents := make(map[content]bool)
	for _, p := range v.Passing {
		if c, ok := contentOf(p.Text); ok {
			contents[c], orders[p.Text] = true, true
		}
	}
	for _, f := range v.Failing {
		o.of += len(f.Runs)
		if c, ok := contentOf(f.Text); ok && contents[c] && !orders[f.Text] {
			o.seen, o.list = o.seen+len(f.Runs), c.list
		}
	}
	return o, o.of > 0 && o.seen == o.of
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
