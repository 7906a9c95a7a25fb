package source

import (
	"go/ast"
	"go/types"
	"slices"
)

// Guarded returns an access to a field that some method makes under a lock of the same struct,
// and the operation that takes that lock; nil if none is seen.
func (x *Index) Guarded(field types.Object) (lock, access *Op) {
	for _, o := range x.Of(field, Read, Write) {
		n := len(o.Path)
		path, line := x.Place(o)
		if n < 2 || o.Path[n-1] != field {
			continue
		}
		l, _ := x.Locked(path, line)
		for _, h := range l.Held {
			if len(h.Path) == n && slices.Equal(h.Path[:n-1], o.Path[:n-1]) && x.OwnsLock(path, line, h) {
				return h, o
			}
		}
	}
	return nil, nil
}

// TakenFirst reports whether most of the methods that take a lock do so in their first statement.
func (x *Index) TakenFirst(lock types.Object) bool {
	first, others := 0, 0
	for _, o := range x.Of(lock, Wait) {
		d, ok := x.FuncAround(o.Node).(*ast.FuncDecl)
		if !ok || !locks(o) {
			continue
		}
		if d.Body.List[0].Pos() <= o.Node.Pos() && o.Node.End() <= d.Body.List[0].End() {
			first++
		} else {
			others++
		}
	}
	return first > others
}

// Beginning returns the line of the first statement of the declared function around a line of a
// file, or 0 if there is none.
func (x *Index) Beginning(path string, line int) int {
	if d, ok := x.FuncAt(path, line).(*ast.FuncDecl); ok && len(d.Body.List) > 0 {
		return x.Line(d.Body.List[0])
	}
	return 0
}
