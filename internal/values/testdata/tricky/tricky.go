package tricky

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"
)

type (
	myBool      bool
	myInt       int
	pair        struct{ a, b int }
	list[T any] []T
	shape       interface{ area() float64 }
	square      struct{ side float64 }
	locked      struct {
		sync.Mutex
		n    int
		when time.Time
		next *locked
	}
)

func (s *square) area() float64 { return s.side * s.side }
func (l *locked) full() bool    { return l.n > 3 }
func (p pair) less(q pair) bool { return p.a < q.a }
func two() (int, error)         { return 2, nil }

const big = 1 << 40

// Conditions are of all kinds of expressions.
func conditions(x int, u uint, b myBool, s []int, m map[string]int, i any, sh shape, l *locked, e error) (n int) {
	if x == 3 || u == 1<<u || x<<2 == 8 && !b == true {
		n++
	}
	if v, ok := m["a"]; ok && v > big>>38 {
		n++
	}
	if v, ok := i.(int); ok && v == x {
		n++
	}
	if s, ok := i.(fmt.Stringer); !ok || s != nil {
		n++
	}
	if sh != nil && sh.area() > 1.5 || l.full() && l.next == nil {
		n++
	}
	if (pair{1, 2}) == (pair{x, 2}) || !(pair{1, x}).less(pair{2, 2}) {
		n++
	}
	if b, c := bool(b), myInt(x); b && c != 0 && c == myInt(len(s)) {
		n++
	}
	if err := errors.Join(e, nil); err != nil && errors.Is(err, fs.ErrNotExist) {
		n++
	}
	if f := l.full; f != nil && f() {
		n++
	}
	if p := &x; *p > 0 && p != nil && &l.n != p {
		n++
	}
	if c, err := two(); err == nil && c == 2 {
		n++
	}
	if x := float32(x); x*1.5 > 2 || -x < 1 || 1.0/3*x == 0 {
		n++
	}
	for i := 0; i < len(s) && s[i] != 0; i++ {
		n += s[i]
	}
	switch y := x + 1; y {
	case 4, 5:
		n++
	}
	switch {
	case x > 1 && len(s) == cap(s), min(x, 3) == 3:
		n++
	case fmt.Sprint(x, s) == "":
	}
	switch v := i.(type) {
	case int:
		n += v
	}
	if func() bool { return x > 1 }() {
		n++
	}
	return n
}

// Sources bring in values from outside.
func sources(m map[string]int, c chan int) (n int, _ []string) {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	for _, v := range m {
		n += v
	}
	for range m {
		n++
	}
	var k string
	for k = range m {
		n += len(k)
	}
	for k, n = range m {
		_ = k
	}
	for _, n = range m {
		n++
	}
	for k := range maps.Keys(m) {
		n += len(k)
	}
	for k := range slices.Values(slices.Sorted(maps.Keys(m))) {
		n += len(k)
	}
	for i := range 3 {
		c <- i
	}
	v := <-c
	w, ok := <-c
	<-c
	if ok && v == w {
		n++
	}
	select {
	case v = <-c:
	case w, ok = <-c:
	default:
	}
	var all sync.Map
	all.Store("a", 1)
	all.Range(func(k, v any) bool { return k != v })
	all.Range(func(_, v any) bool {
		return v != nil
	})
	all.Range(func(any, any) bool { return true })
	for k := range all.Range {
		if k == "b" {
			n++
		}
	}
	if n > 0 {
		c <- 4
		w, ok = <-c
	}
	for range 2 {
		c <- 5
		x, _ := <-c
	again:
		if n += x; n < 0 {
			goto again
		}
		select {
		case c <- 6:
			y, ok := <-c
			if ok && y == 6 {
				n++
			}
		}
	}
	c <- 7
	select {
	case _, ok = <-c:
	case x, ok := <-c:
		if x > 1 && ok {
			n++
		}
	}
	close(c)
	for v := range c {
		n += v
	}
	defer fmt.Sprint(rand.IntN(3), time.Now())
	defer time.Now()
	defer func() { go rand.IntN(3) }()
	n += rand.IntN(10)
	rand.Shuffle(n, func(i, j int) {})
	if time.Since(time.Now()) < 0 || os.Getenv("HOME") == "/" {
		n++
	}
	return n, keys
}

func generic[T comparable, M ~map[T]T](m M, x T) bool {
	for k, v := range m {
		if k == x && v != x || m[k] == v {
			return true
		}
	}
	var l list[T]
	return len(l) == 0 && !slices.Contains(l, x)
}
