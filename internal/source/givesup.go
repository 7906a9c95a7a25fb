package source

import "go/ast"

// GivesUp returns the time limit after which a line of a file runs: the line is in the case of a
// select that receives from a timer, or from a context, with a constant limit. It returns nil if
// there is none, or several.
func (x *Index) GivesUp(path string, line int) *Op {
	f, fn, target := x.around(path, line)
	if fn == nil {
		return nil
	}
	for _, n := range x.path(f, target) {
		c, ok := n.(*ast.CommClause)
		if !ok || c.Comm == nil || target < c.Colon {
			continue
		}
		return x.limitOf(c.Comm)
	}
	return nil
}

// limitOf returns the only constant limit of what a statement receives from.
func (x *Index) limitOf(comm ast.Stmt) *Op {
	list := x.constantLimits(comm)
	for _, o := range x.In(comm, Wait) {
		if len(list) > 0 || len(o.Path) == 0 {
			break
		}
		for _, w := range x.Of(o.Path[0], Init, Write) {
			for _, e := range w.From {
				list = append(list, x.constantLimits(e)...)
			}
		}
	}
	if len(list) != 1 {
		return nil
	}
	return list[0]
}

func (x *Index) constantLimits(n ast.Node) (list []*Op) {
	for _, o := range x.In(n, Limit) {
		if o.Value > 0 {
			list = append(list, o)
		}
	}
	return list
}
