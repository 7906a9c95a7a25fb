package keep

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
)

type node struct {
	n    int
	next *node
	m    map[string][]int
}

var (
	number     = 1
	list       = []int{1, 2, 3}
	table      = map[string]*node{"a": {n: 1}}
	ring       = &node{n: 1, m: map[string][]int{"x": {1}}}
	any1   any = &node{n: 5}
	grid   [2][]int
	locked struct {
		sync.Mutex
		kept map[int]bool
	}
	synced  sync.Map
	pointer atomic.Pointer[node]
	other   = 7
)

func init() {
	ring.next = ring // a cycle
	locked.kept = map[int]bool{1: true}
	grid[1] = []int{4}
	synced.Store("k", &node{n: 2})
	pointer.Store(&node{n: 3})
	for name, p := range map[string]any{
		"number": &number, "list": &list, "table": &table, "ring": &ring, "any": &any1, "grid": &grid, "locked": &locked,
		"synced": &synced, "pointer": &pointer, "other": &other,
	} {
		Var(name, p)
	}
}

// spoil changes everything, in place where possible.
func spoil() {
	number++
	other++
	list[0] = 9
	list = append(list, 4)
	table["a"].n = 2
	table["b"] = &node{}
	ring.n = 2
	ring.m["x"][0] = 2
	delete(ring.m, "x")
	ring.next = nil
	any1.(*node).n = 6
	grid[1][0] = 5
	locked.kept[1] = false
	locked.kept[2] = true
	x, _ := synced.Load("k")
	x.(*node).n = 3
	synced.Store("l", 1)
	pointer.Load().n = 4
	pointer.Store(nil)
}

// The named variables are put back, in place, and nothing else.
func TestOf(t *testing.T) {
	t.Cleanup(func() { other = 7 })
	aTable, aNode := reflect.ValueOf(table).Pointer(), table["a"]
	undo := Of(map[string]bool{"number": true, "list": true, "table": true, "ring": true, "any": true, "grid": true, "locked": true, "synced": true, "pointer": true})
	spoil()
	for _, f := range undo {
		f()
	}
	k, _ := synced.Load("k")
	_, l := synced.Load("l")
	unlocked := locked.TryLock()
	if unlocked {
		locked.Unlock()
	}
	for what, ok := range map[string]bool{
		"number": number == 1, "other": other == 8, "list": reflect.DeepEqual(list, []int{1, 2, 3}),
		"table": len(table) == 1 && table["a"] == aNode && aNode.n == 1 && reflect.ValueOf(table).Pointer() == aTable,
		"ring":  ring.n == 1 && ring.next == ring && reflect.DeepEqual(ring.m, map[string][]int{"x": {1}}),
		"any":   any1.(*node).n == 5, "grid": grid[1][0] == 4,
		"locked": reflect.DeepEqual(locked.kept, map[int]bool{1: true}) && unlocked,
		"synced": k.(*node).n == 2 && !l, "pointer": pointer.Load() != nil && pointer.Load().n == 3,
	} {
		if !ok {
			t.Errorf("%s is not what it should be", what)
		}
	}
}

func TestNamed(t *testing.T) {
	if got := named("m/a.x,m/a.y"); !got["m/a.x"] || !got["m/a.y"] || got["m/a.z"] {
		t.Errorf("%v", got)
	}
	if got := named(""); got[""] {
		t.Error("nothing is named, but something is put back")
	}
}
