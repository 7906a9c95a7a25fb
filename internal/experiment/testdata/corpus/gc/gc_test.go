package gc

import (
	"runtime"
	"testing"
	"weak"
)

// What was put into a pool need not be there.
func TestPooled(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := fill(7)
	if got := p.data[0]; got != 7 {
		t.Errorf("the page begins with %d", got)
	}
}

// What nobody uses may be gone.
func TestInterned(t *testing.T) {
	in := &interner{m: make(map[string]weak.Pointer[page])}
	in.get("a").data[0] = 3                   // cause weak
	if got := in.get("a").data[0]; got != 3 { // cause weak
		t.Errorf("a begins with %d", got)
	}
}

var kept [][]byte

// It counts on a collection that comes by itself.
func TestCollected(t *testing.T) {
	before := collections()
	for range 200 {
		kept = append(kept[:0], make([]byte, 1<<18)) // cause collections
	}
	if collections() == before { // cause collections
		t.Error("nothing was collected")
	}
}

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}

// It is sound: what is in use is kept.
func TestInUse(t *testing.T) {
	in := &interner{m: make(map[string]weak.Pointer[page])}
	p := in.get("a")
	p.data[0] = 3
	if got := in.get("a").data[0]; got != 3 {
		t.Errorf("a begins with %d", got)
	}
	runtime.KeepAlive(p)
}
