// Package inside has statements that write what they have read, some of them odd. Lines with a position inside have
// the comment "<". The tests pass with these and without.
package inside

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

type box struct {
	n     int
	s     string
	list  []int
	m     map[string]int
	any   any
	flag  yes
	next  *box
	inner struct{ n uint8 }
	v     atomic.Int64
	raw   int32
}

type yes bool

var (
	global int
	b      = &box{m: map[string]int{}, next: &box{}}
	order  []string
)

func say(what string, v int) int {
	order = append(order, what) // <
	return v
}

func (x *box) add(v int) int {
	x.n += v // <
	return x.n
}

func (x box) with(s string) box {
	x.s = s
	return x
}

func expect(t *testing.T, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestForms(t *testing.T) {
	x := &box{m: map[string]int{}}
	x.n++                                                 // <
	x.n--                                                 // <
	x.n += 5                                              // <
	x.n -= 1 + 1                                          // <
	x.n *= 7                                              // <
	x.n /= 2                                              // <
	x.n %= 7                                              // <
	x.n <<= 4                                             // <
	x.n |= 1                                              // <
	x.n &^= 16                                            // <
	x.n ^= 0xff                                           // <
	x.inner.n += 200 + 50                                 // <
	x.inner.n += 10                                       // <
	x.s += "a"                                            // <
	x.s = x.s + "b"                                       // <
	x.list = append(x.list, 1, 2)                         // <
	x.list[1] += 3                                        // <
	x.m["a"]++                                            // <
	x.m["a"] += len(x.m)                                  // no position: len is a call
	x.m["b"] = x.m["b"] + 2                               // <
	x.any = fmt.Sprint(x.any, "!")                        // <
	x.v.Store(x.v.Load() + 4)                             // <
	atomic.StoreInt32(&x.raw, atomic.LoadInt32(&x.raw)+2) // <
	*x = x.with(x.s + "c")                                // <
	global += 2                                           // <
	x.flag = x.flag == (x.n > 0)                          // no position: the type follows from where it stands
	x.n = x.n + 1<<x.inner.n                              // no position, for the same reason
	expect(t, []any{x.n, x.inner.n, x.s, x.list, x.m, x.any, x.v.Load(), x.raw, global, x.flag},
		"[238 4 abc [1 5] map[a:2 b:2] <nil>! 4 2 2 false]")
}

func TestKeys(t *testing.T) {
	const key = "k"
	type name string
	named, anyKey := &struct{ m map[name]int }{map[name]int{}}, &struct{ m map[any]int }{map[any]int{}}
	named.m["a"]++     // <
	named.m[key] -= 3  // <
	anyKey.m["a"]++    // <
	anyKey.m[1.0] += 2 // <
	array := &[3]int{}
	i := 0
	func() { array[i]++; i++ }()     // <
	(array[i])++                     // <
	i++                              // <
	array[i] = array[i-1] + array[i] /* odd */ // <
	expect(t, []any{named.m, anyKey.m, *array}, "[map[a:1 k:-3] map[a:1 1:2] [1 1 1]]")
}

func TestOrder(t *testing.T) {
	order = nil
	x, list := &box{list: []int{1, 2}}, [][]int{{1}, {2}}
	x.n += say("y", 3)                          // <
	x.n += x.add(10)                            // <
	x.s += fmt.Sprint(say("z", 1), say("w", 2)) // <
	x.list[say("i", 0)] += say("j", 1)          // no position: the index calls
	list[say("o", 1)][0]++                      // no position
	x.list[0] += x.grow()                       // no position: the call may move the list
	x.n += 1 << say("shift", 2)                 // <
	x.n <<= say("by", 1)                        // no position: of two types
	x.next = &box{}
	x.next.n += say("next", 1) // no position: next may be another one
	x = x.self()
	x.n += // <
		say("line", 1) // over lines, with comments
	expect(t, []any{x.n, x.s, x.list, list, x.next.n}, "[61 1 2 [4 2 9 9] [[1] [3]] 1]")
	expect(t, order, "[y z w i j o shift by next line]")
}

func (x *box) self() *box { return x }

func (x *box) grow() int {
	x.list = append(x.list, 9, 9) // <
	return 2
}

func TestControl(t *testing.T) {
	x := &box{}
	for ; x.n < 3; x.n++ { // no position: one statement must stay one
		if x.list = append(x.list, x.n); x.n == 1 { // no position
			continue
		}
		switch {
		case x.n > 0:
			x.raw += 2 // <
		default:
			x.raw++ // <
		}
	}
again:
	x.raw++ // <
	if x.raw < 8 {
		goto again
	}
	func() {
		defer func() { x.raw++; recover() }() // <
		x.next.n++                            // < never passed
	}()
	func() {
		defer func() { x.s += fmt.Sprint(recover()) }() // no position: recover is a call
		var none map[string]int
		none["a"]++ // no position: it is no one else's
	}()
	func() {
		defer func() { recover() }()
		x.m["a"]++ // <
	}()
	expect(t, []any{x.n, x.raw, x.list}, "[3 9 [0 1 2]]")
}

type number interface{ ~int | ~float64 }

type sum[T number] struct{ total T }

func (s *sum[T]) add(v T) { s.total += v } // <

func twice[K comparable, M ~map[K]int](m M, k K) { m[k] *= 2 } // no position: M may be anything

func TestGenerics(t *testing.T) {
	var s sum[float64]
	s.add(1.5)
	s.add(1)
	m := map[string]int{"a": 2}
	twice(m, "a")
	add := s.add
	add(2)
	expect(t, []any{s.total, m}, "[4.5 map[a:4]]")
}

func TestCaptured(t *testing.T) {
	n, list, alone := 0, []int(nil), 0
	done := make(chan bool)
	go func() {
		n++                                                 // <
		list = append(list, func() int { n++; return n }()) // <
		done <- true
	}()
	<-done
	alone++ // no position: nobody else knows it
	select {
	case done <- true:
	default:
		n-- // <
	}
	slices.Sort(list)
	expect(t, []any{n, list, alone}, "[1 [2] 1]")
}

// apart has a statement the function of which calls nothing, and could be inlined.
func (x *box) apart() { x.n++ } // <

func TestLeaf(t *testing.T) {
	x := &box{}
	for range 10 {
		x.apart()
	}
	expect(t, x.n, 10)
}
