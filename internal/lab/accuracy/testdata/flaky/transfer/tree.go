// Package transfer is a tree of folders that several users change at once.
package transfer

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrNotFound says that a folder does not hold a document.
var ErrNotFound = errors.New("no such document")

// A Folder holds documents.
type Folder struct {
	Name string

	mu   sync.Mutex
	docs []string
	size map[string]int
}

// NewFolder returns a folder with documents.
func NewFolder(name string, docs ...string) *Folder {
	f := &Folder{Name: name, size: make(map[string]int)}
	for _, d := range docs {
		f.docs = append(f.docs, d)
		f.size[d] = len(d)
	}
	return f
}

// Len returns the number of documents.
func (f *Folder) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.docs)
}

// Move moves a document to another folder. Nobody sees it in both or in none.
func (f *Folder) Move(doc string, to *Folder) error {
	if f == to {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.Index(f.docs, doc)
	if i < 0 {
		return fmt.Errorf("move %s from %s: %w", doc, f.Name, ErrNotFound)
	}
	size := checksum(doc)
	to.mu.Lock()
	defer to.mu.Unlock()
	f.docs = slices.Delete(f.docs, i, i+1)
	delete(f.size, doc)
	to.docs = append(to.docs, doc)
	to.size[doc] = size
	return nil
}

func checksum(doc string) int {
	sum := 0
	for range 2000 {
		for _, r := range doc {
			sum = sum*31 + int(r)
		}
	}
	return sum
}
