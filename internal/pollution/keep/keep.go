// Package keep resets package variables, and everything reachable from them, to earlier values.
// An overlay compiles it into the test binaries of users. So it imports only the standard
// library, and uses only language features that old modules have.
//
// It does not put back what only functions, channels and unsafe pointers lead to, nor the state
// of the system, such as files. It leaves packages alone that have invariants with the system or
// the runtime, see [foreign].
package keep

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// Env names the variables that [Back] puts back, separated by commas.
const Env = "FDEBUG_PUT_BACK"

// most limits how many values are recorded for all variables together.
const most = 1 << 21

var (
	vars  = make(map[string]reflect.Value) // by name
	asked = named(os.Getenv(Env))          // read now, because tests may change the environment later
	once  sync.Once
	undo  []func()
)

func named(list string) map[string]bool {
	names := make(map[string]bool)
	for _, n := range strings.Split(list, ",") {
		names[n] = n != ""
	}
	return names
}

// Var registers a variable. p points to it.
func Var(name string, p interface{}) { vars[name] = reflect.ValueOf(p).Elem() }

// Note records the variables that [Env] names, and everything reachable from them. Only the first
// call does so.
func Note() { once.Do(func() { undo = Of(asked) }) }

// Back puts them back.
func Back() {
	for _, f := range undo {
		f()
	}
}

// Of returns functions that put variables back to their current values.
func Of(names map[string]bool) []func() {
	n := &note{seen: make(map[place]bool)}
	for name, v := range vars {
		if names[name] {
			n.hold(v)
		}
	}
	return n.undo
}

// A place is a value in memory.
type place struct {
	at unsafe.Pointer
	of reflect.Type
}

// A note collects functions that put back a graph of values.
type note struct {
	undo []func()
	seen map[place]bool
}

// hold records an addressable value, and everything reachable from it.
func (n *note) hold(v reflect.Value) {
	p := place{v.Addr().UnsafePointer(), v.Type()}
	if n.seen[p] || len(n.seen) > most {
		return
	}
	n.seen[p] = true
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	n.undo = append(n.undo, func() { v.Set(was) })
	n.follow(v)
}

// follow records everything reachable from an addressable value that is itself recorded.
func (n *note) follow(v reflect.Value) {
	if len(n.seen) > most {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !foreign(v.Type().Elem()) {
			n.hold(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			n.follow(settable(v.Elem()))
		}
	case reflect.Struct:
		n.fields(v)
	case reflect.Array:
		if leads(v.Type().Elem()) {
			for i := 0; i < v.Len(); i++ {
				n.follow(v.Index(i))
			}
		}
	case reflect.Slice:
		n.slice(v)
	case reflect.Map:
		n.entries(v)
	}
}

// fields follows the fields of a struct, including structs of package sync.
func (n *note) fields(v reflect.Value) {
	t := v.Type()
	switch {
	case foreign(t):
		return
	case t.PkgPath() == "sync/atomic" && strings.HasPrefix(t.Name(), "Pointer["):
		n.follow(settable(v.Addr().MethodByName("Load").Call(nil)[0]))
		return
	case t == reflect.TypeOf(sync.Map{}):
		n.syncMap(v.Addr().Interface().(*sync.Map))
		return
	}
	for i := 0; i < v.NumField(); i++ {
		f := v.Field(i)
		n.follow(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()) // unexported fields can't be set otherwise
	}
}

// slice records the elements of a slice. The rest of its array is not in use yet.
func (n *note) slice(v reflect.Value) {
	if v.Len() == 0 {
		return
	}
	p := place{v.UnsafePointer(), v.Type()}
	if n.seen[p] {
		return
	}
	n.seen[p] = true
	was := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(was, v)
	now := v.Slice(0, v.Len())
	n.undo = append(n.undo, func() { reflect.Copy(now, was) })
	for i := 0; i < v.Len() && leads(v.Type().Elem()); i++ {
		n.follow(v.Index(i))
	}
}

// entries records the entries of a map, which stays the same map.
func (n *note) entries(v reflect.Value) {
	p := place{v.UnsafePointer(), v.Type()}
	if v.IsNil() || n.seen[p] {
		return
	}
	n.seen[p] = true
	m := reflect.ValueOf(v.Interface())
	var was [][2]reflect.Value
	for _, k := range m.MapKeys() {
		x := m.MapIndex(k)
		was = append(was, [2]reflect.Value{k, x})
		n.follow(settable(k))
		n.follow(settable(x))
	}
	n.undo = append(n.undo, func() {
		for _, k := range m.MapKeys() {
			m.SetMapIndex(k, reflect.Value{})
		}
		for _, e := range was {
			m.SetMapIndex(e[0], e[1])
		}
	})
}

func (n *note) syncMap(m *sync.Map) {
	was := make(map[interface{}]interface{})
	m.Range(func(k, x interface{}) bool {
		was[k] = x
		n.follow(settable(reflect.ValueOf(&k).Elem()))
		n.follow(settable(reflect.ValueOf(&x).Elem()))
		return true
	})
	n.undo = append(n.undo, func() {
		m.Range(func(k, _ interface{}) bool { m.Delete(k); return true })
		for k, x := range was {
			m.Store(k, x)
		}
	})
}

// settable returns a value, or a copy of it that is addressable.
func settable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// leads reports whether anything is reachable from a value of the type.
func leads(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Slice, reflect.Map:
		return true
	case reflect.Array:
		return leads(t.Elem())
	}
	return false
}

// foreign reports whether values of a type are left alone: those of the system, the runtime, the
// running tests, and descriptions of types.
func foreign(t reflect.Type) bool {
	switch pkg := t.PkgPath(); pkg {
	case "os", "net", "runtime", "reflect", "syscall", "testing", "time", "context", "crypto/tls", "database/sql":
		return true
	default:
		return strings.HasPrefix(pkg, "internal/") || strings.HasPrefix(pkg, "runtime/")
	}
}
