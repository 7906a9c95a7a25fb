// Package gc has tests that depend on when garbage is collected.
package gc

import (
	"sync"
	"weak"
)

type page struct{ data [1024]byte }

var pages = sync.Pool{New: func() any { return new(page) }}

// fill puts a page that was used back, and takes one.
func fill(b byte) *page {
	p := pages.Get().(*page)
	p.data[0] = b
	pages.Put(p)               // cause pool
	return pages.Get().(*page) // cause pool
}

// An interner remembers what is in use.
type interner struct{ m map[string]weak.Pointer[page] }

func (in *interner) get(key string) *page {
	if p := in.m[key].Value(); p != nil {
		return p
	}
	p := new(page)
	in.m[key] = weak.Make(p)
	return p
}
