package source

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"time"
)

// A Kind says what an operation does.
type Kind uint8

const (
	Read    Kind = iota
	Write        // changes something that others may know
	Init         // gives a variable its first value, or a field in a literal
	Wait         // may have to wait, for others or for a time
	Release      // may end a wait of others
	Limit        // says how long something may take, or takes
	Call         // calls a function
	Go           // starts a goroutine
	Defer        // defers a call
	Return       // returns from a function
	Draw         // brings in what differs from run to run
)

var kindNames = [...]string{"reads", "writes", "inits", "waits", "releases", "limits", "calls", "starts",
	"defers", "returns", "draws"}

func (k Kind) String() string { return kindNames[k] }

// An Op is one operation of a block.
type Op struct {
	Kind Kind
	// Path leads to what is operated on, starting from a variable: s, conn and mu for s.conn.mu.
	// Without a variable, as in f().mu, it begins with a field. The path of a Call, Go or Defer
	// ends with the function, or the variable that has it; it is empty for a function literal.
	// The path of a Limit is what is limited: a function, a field or a variable.
	Path []types.Object
	// Elem says that the operation is on an element of that, or on what it points to.
	Elem bool
	// How is the operator ("=", "++", "chan send", "select receive"), or the function by its
	// package and receiver ("sync.Mutex.Lock", "append").
	How string
	// Origin says what a Draw, or a receive, brings in that differs from run to run: "map order",
	// "math/rand", "the clock". It is "" for others, and for a select.
	Origin string
	// Maybe says that a function of another module may do this with what it gets.
	Maybe bool
	// Deferred says that this happens when its function ends, or the one that defers the literal
	// that contains it.
	Deferred bool
	// From is the expression that is written, sent, returned or passed.
	From  []ast.Expr
	Value time.Duration // of a Limit; 0 if it is not constant
	Block int           // the block that contains it; 0 if none does
	Node  ast.Node

	file *File
}

// Locks reports whether a lock is taken, and Unlocks whether one is given back, of whatever type. Sleeps reports whether
// it waits for a time alone.
func (o *Op) Locks() bool   { return slices.Contains([]string{"Lock", "RLock"}, o.method()) }
func (o *Op) Unlocks() bool { return slices.Contains([]string{"Unlock", "RUnlock"}, o.method()) }
func (o *Op) Sleeps() bool  { return o.How == "time.Sleep" }

// method returns the function without its package and receiver.
func (o *Op) method() string { return o.How[strings.LastIndexByte(o.How, '.')+1:] }

// Obj returns the object operated on, or nil if it has no name.
func (o *Op) Obj() types.Object {
	if len(o.Path) == 0 {
		return nil
	}
	return o.Path[len(o.Path)-1]
}

// Name returns the path as it is written: "s.conn.mu".
func (o *Op) Name() string { return pathName(o.Path) }

func pathName(path []types.Object) string {
	var names []string
	for _, obj := range path {
		names = append(names, obj.Name())
	}
	return strings.Join(names, ".")
}

func (o *Op) is(kinds []Kind) bool { return len(kinds) == 0 || slices.Contains(kinds, o.Kind) }

// known returns the objects under which an operation is found: a read of s.conn.n also reads s,
// and a write of a field also writes what holds the field as a value.
func (o *Op) known() []types.Object {
	n := len(o.Path)
	if n == 0 || o.Kind == Read {
		return o.Path
	}
	from := n - 1
	if o.Kind == Write {
		for from > 0 && !o.Elem && holdsValue(o.Path[from-1]) {
			from--
		}
	}
	return o.Path[from:]
}

// holdsValue reports whether a variable is a struct instead of a reference to one.
func holdsValue(obj types.Object) bool {
	if obj.Type() == nil {
		return false
	}
	_, is := obj.Type().Underlying().(*types.Struct)
	return is
}
