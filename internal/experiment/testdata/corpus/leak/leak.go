// Package leak has a test that leaves files open, which others then have too few of.
package leak

import (
	"fmt"
	"os"
	"path/filepath"
)

// A Store has a file for each record.
type Store struct{ files []*os.File }

// stores are all that were ever made: nothing is collected.
var stores []*Store

// NewStore makes a store of n records.
func NewStore(dir string, n int) (*Store, error) {
	s := &Store{}
	stores = append(stores, s)
	for i := range n {
		f, err := os.Create(filepath.Join(dir, fmt.Sprint("record", i)))
		if err != nil {
			s.Close()
			return nil, err
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

// Len returns how many records there are.
func (s *Store) Len() int { return len(s.files) }

// Close closes all files.
func (s *Store) Close() {
	for _, f := range s.files {
		f.Close()
	}
	s.files = nil
}
