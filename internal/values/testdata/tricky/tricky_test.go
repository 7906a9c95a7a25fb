package tricky

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"testing"
	"time"
)

func TestTricky(t *testing.T) {
	l := &locked{n: 4}
	conditions(3, 1, true, []int{1, 2}, map[string]int{"a": 5}, 3, &square{2}, l, fs.ErrNotExist)
	m := map[string]int{"a": 1, "b": 2}
	sources(m, make(chan int, 10))
	generic(map[int]int{1: 2}, 2)
}

func same(x any) bool { return x == nil }

func isNil[T any](x T) bool { return any(x) == nil }

type tree struct {
	Left, Right *tree
	Name        string
	V           any
}

type stringer struct{ n int }

func (s stringer) String() string { panic("called") }

// TestPrint has values of all kinds in conditions; the comments say what is
// recorded.
func TestPrint(t *testing.T) {
	loop := &tree{Name: "loop"}
	loop.Left = loop
	var nilTree *tree
	var nilErr error
	_, missing := os.Open("/no/such/file")
	x, y, s := 42, int8(-7), "a\"b"
	if isNil(x) || isNil(y) || isNil(s) { // value: 42 | -7 | "a\"b"
	}
	f, d, tm := 0.1, 90*time.Second, time.Unix(0, 5)
	if isNil(f) || isNil(d) || isNil(tm) { // value: 0.1 | 1m30s | 1970-01-01T00:00:00.000000005Z
	}
	sl, ar, by := []string{"a", "b"}, [2]bool{true}, []byte("hi")
	if isNil(sl) || isNil(ar) || isNil(by) { // value: ["a" "b"] | [true false] | []uint8("hi")
	}
	tr := tree{Name: "root", Left: &tree{Name: "leaf", V: 3}}
	if isNil(tr) { // value: {Left:&{Left:nil Right:nil Name:"leaf" V:…} Right:nil Name:"root" V:nil}
	}
	if isNil(loop) { // value: &{Left:&{Left:… Right:… Name:… V:…} Right:nil Name:"loop" V:nil}
	}
	if isNil(nilTree) || same(nilErr) { // value: nil | nil
	}
	mp, ch := map[string]int{"a": 1}, make(chan int, 3)
	ch <- 1
	if isNil(mp) || isNil(ch) { // value: map[string]int(len 1) | chan int(len 1)
	}
	st := stringer{5}
	if isNil(st) || same(&st) { // value: {n:5} | &{n:5}
	}
	e1, e2 := errors.New("bad"), fmt.Errorf("very %w", fs.ErrExist)
	if isNil(e1) || isNil(e2) || isNil(missing) { // value: *errors.errorString("bad") | *fmt.wrapError("very file already exists") | &{Op:"open" Path:"/no/such/file" Err:no such file or directory}
	}
	var mu sync.Mutex
	p := &struct {
		mu *sync.Mutex
		n  int
	}{&mu, 1}
	if isNil(p) { // value: &{mu:*sync.Mutex(0x…) n:1}
	}
}

// TestNoRace writes what another goroutine records, under a lock.
func TestNoRace(t *testing.T) {
	l := &locked{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				if isNil(l) || isNil(&l) {
				}
				l.Lock()
				l.n = i
				l.next = &locked{n: i}
				l.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestOften records more values than are kept.
func TestOften(t *testing.T) {
	for often := range 100 {
		if isNil(often) {
		}
	}
}
