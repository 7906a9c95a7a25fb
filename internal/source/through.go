package source

import (
	"go/types"
	"slices"
	"strings"
)

var (
	// handles are the types of what is read and written, and what that is.
	handles = map[string]string{"*os.File": "file", "net.Conn": "connection", "*net.TCPConn": "connection",
		"*net.UnixConn": "connection", "*crypto/tls.Conn": "connection"}
	// writing and reading are names of functions that do that. Of a connection, Read returns what has come so far.
	writing = []string{"Create", "OpenFile", "Write", "WriteString", "WriteAt", "Truncate", "Fprint", "Fprintf",
		"Fprintln", "Encode", "Execute", "Copy"}
	reading = map[string][]string{"connection": {"Read"}, "file": {"ReadFile", "Open", "Stat", "Lstat", "Read", "ReadAt",
		"ReadAll", "Decode", "Copy"}}
)

// Through returns the kind of thing that a goroutine sees half done, "file" or "connection": in block f it reads, while
// another one writes with one handle in a and b. It is "" if f shares a variable with them too, which may be what
// decides.
func (x *Index) Through(a, b, f int) (of string, shared bool) {
	of, _ = x.common(a, b)
	_, first := x.common(a, f)
	same, last := x.common(b, f)
	if shared = same != "" || first || last; shared || of == "file" && !slices.ContainsFunc(x.Block(b), x.overwrites) ||
		!x.calls(a, of, writing) || !x.calls(b, of, writing) || !x.calls(f, of, reading[of]) {
		return "", shared
	}
	return of, false
}

// common returns the kind of thing that two blocks have one handle of, and whether they share a variable that changes.
func (x *Index) common(a, b int) (of string, changed bool) {
	for _, o := range x.Block(a, Read, Write, Init, Wait, Release) {
		for _, p := range x.Block(b, Read, Write, Init, Wait, Release) {
			switch {
			case !x.Same(o, p):
			case handle(o) != "":
				of = handle(o)
			case o.Kind != Read || p.Kind != Read:
				changed = true
			}
		}
	}
	return of, changed
}

// handle returns the kind of thing that an operation has a handle of.
func handle(o *Op) string {
	if o.Obj() == nil {
		return ""
	}
	return handles[types.TypeString(o.Obj().Type(), nil)]
}

// overwrites reports whether an operation is on a file that was emptied when it was opened: no log, and no pipe.
func (x *Index) overwrites(o *Op) bool {
	return handle(o) == "file" && slices.ContainsFunc(x.standsFor(o.Obj()), func(v types.Object) bool {
		return slices.ContainsFunc(x.Of(v, Init, Write), func(w *Op) bool {
			return slices.ContainsFunc(x.In(w.Node, Call), func(c *Op) bool {
				return c.How == "os.Create" || c.How == "os.OpenFile" && strings.Contains(x.Text(c.Node), "O_TRUNC")
			})
		})
	})
}

// calls reports whether a block calls a function that has one of some names with a handle or, of a file, by its path.
func (x *Index) calls(block int, of string, names []string) bool {
	with := slices.ContainsFunc(x.Block(block), func(o *Op) bool { return handle(o) == of })
	return slices.ContainsFunc(x.Block(block, Call), func(o *Op) bool {
		byPath := of == "file" && (strings.HasPrefix(o.How, "os.") || strings.HasPrefix(o.How, "io/ioutil."))
		return (with || byPath) && slices.Contains(names, o.method())
	})
}
