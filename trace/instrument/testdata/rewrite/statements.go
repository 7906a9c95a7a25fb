// Package p has a comment before /* and after */ its clause.
package p // import "example.com/p"

import (
	"fmt"
	. "strings"
)

//line other.go:100

/* a */ func /* b */ labels( /* c */ ) { // d
L: // label
	for i := 0; i < 3; i++ {
		goto M
	M: ;
		switch /* tag */ i { // e
		// before the case
		case 1: // f
			continue L
		case 2, // g
			3:
			fallthrough
		default:
		}
	N:
	}
	goto N2
N2:
}

func chain(a, b bool) (s string) {
	if a { s = "a" } else if b { s = "b" } else if !a { s = "c" } else { s = "d" }
	if a {
	} /* x */ else /* y */ if b { // z
		return
	}
	return
}

func calls(c chan int, f func() int) {
	x := f(); y := 1; x += y
	c <- x
	y = <-c
	var z = f
	n := len("a") + int(ToUpper("b")[0]) + cap(c) + int([]byte("x")[0])
	go f(); defer f(); go z(); defer fmt.Println(f())
	go func() { f() }()
	defer func() {}()
	_, _, _ = x, n, func() {}
	for range c {}
	for range func(yield func() bool) { yield() } { break }
	select {}
}

type T[P any] struct{ f func() }

func (t *T[P]) Method() { t.f() }

func (T[P]) Value() {}

var v, w = func() int { return 1 }, T[int]{f: func() {}}

func init() { go func() { func() { w.f() }() }() }

func _() {}

func bodyless()

//go:nosplit
func nosplit() {}

//go:nosplit

/* not adjacent */ func nosplitToo() {}

//go:noinline
func noinline() {}
