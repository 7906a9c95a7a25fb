package fdebugrt

import (
	"sync"
	"unsafe"
)

// mu guards the trace file and the tables. It is taken when a goroutine is new
// and when a chunk is full, not for each event.
var mu sync.Mutex

// lock takes the lock hidden from the race detector: an order that only fdebug creates must not
// hide a race of the program.
//
//go:norace
func lock() {
	raceDisable()
	mu.Lock()
}

//go:norace
func unlock() {
	mu.Unlock()
	raceEnable()
}

//go:norace
//go:nocheckptr
func put32(p uintptr, v uint32) { *(*uint32)(unsafe.Pointer(p)) = v }

//go:norace
//go:nocheckptr
func put64(p uintptr, v uint64) { *(*uint64)(unsafe.Pointer(p)) = v }

//go:norace
//go:nocheckptr
func get32(p uintptr) uint32 { return *(*uint32)(unsafe.Pointer(p)) }

//go:norace
//go:nocheckptr
func get64(p uintptr) uint64 { return *(*uint64)(unsafe.Pointer(p)) }

//go:norace
//go:nocheckptr
func putString(p uintptr, s string) {
	for i := 0; i < len(s); i++ {
		*(*byte)(unsafe.Pointer(p + uintptr(i))) = s[i]
	}
}
