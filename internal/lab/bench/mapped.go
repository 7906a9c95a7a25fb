//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
	"unsafe"
)

// mapped measures the lower limit: storing consecutive 4-byte words to a file that is mapped as
// the probe runtime maps it.
func (b *bench) mapped(ctx context.Context) error {
	const n = 64 << 20
	var fresh, again samples
	for range b.rounds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		first, second, err := storeWords(filepath.Join(b.dir, "mapped"), n)
		if err != nil {
			return err
		}
		fresh.add(first)
		again.add(second)
	}
	t := newTable("stores to a mapped file", "ns/event", "n")
	for _, row := range []struct {
		name string
		s    *samples
	}{{"pages not touched before", &fresh}, {"pages in memory", &again}} {
		t.row(row.name, fmt.Sprintf("%.2f ± %.0f%%", row.s.median(), row.s.spread()*100), fmt.Sprint(row.s.n()))
	}
	return b.print("The floor of tracing, by the clock", t)
}

// storeWords fills a new file of n bytes twice and returns the nanoseconds per word of each pass.
// The first includes growing the file.
func storeWords(name string, n int) (first, second float64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(name)) }()
	start := time.Now()
	if err := f.Truncate(int64(n)); err != nil {
		return 0, 0, err
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return 0, 0, err
	}
	defer syscall.Munmap(mem)
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&mem[0])), n/4)
	fill(words, 1)
	first = float64(time.Since(start)) / float64(len(words))
	start = time.Now()
	fill(words, 2)
	return first, float64(time.Since(start)) / float64(len(words)), nil
}

func fill(words []uint32, v uint32) {
	for i := range words {
		words[i] = v
	}
}
