// Package source reads the user's code with its types.
package source

import (
	"context"
	"errors"
	"go/token"
)

// An Index knows the user's code by block.
type Index struct {
	Fset *token.FileSet
	// Typed says whether all types are known. Where some are not, what depends
	// on them is told from names, and Err says why.
	Typed bool
	Err   error

	files map[string]*File // by path in trace.Sites
}

// Load reads the code. It always returns an index: what can't be read is not in
// it, and what has no types is understood from syntax and names.
func Load(ctx context.Context, cfg Config) *Index {
	l := newLoader(cfg)
	l.load(ctx)
	x := &Index{Fset: l.fset, Typed: len(l.errs) == 0, Err: errors.Join(l.errs...), files: make(map[string]*File)}
	for _, f := range l.files {
		if f != nil && f.Path != "" {
			x.files[f.Path] = f
		}
	}
	return x
}

// File returns a file by its path in trace.Sites, nil if it could not be read.
func (x *Index) File(path string) *File { return x.files[path] }
