// Package clockbucket names uploaded files and finds them again by time.
package clockbucket

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// ErrNotFound says that there is no such upload.
var ErrNotFound = errors.New("upload not found")

// An Upload is a file that somebody sent.
type Upload struct {
	Name string
	Size int
	Path string
}

// An Archive keeps uploads in directories, one for each slot of time.
type Archive struct {
	slot time.Duration

	mu    sync.Mutex
	files map[string][]Upload
}

// NewArchive returns an archive with a directory for each slot.
func NewArchive(slot time.Duration) *Archive {
	return &Archive{slot: slot, files: make(map[string][]Upload)}
}

func (a *Archive) dir() string {
	return fmt.Sprintf("up/%x", time.Now().UnixNano()/int64(a.slot))
}

// Put stores an upload, and returns where.
func (a *Archive) Put(name string, size int) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	dir := a.dir()
	u := Upload{Name: name, Size: size, Path: path.Join(dir, clean(name))}
	a.files[dir] = append(a.files[dir], u)
	return u.Path
}

// Recent returns the names of the uploads of the current slot, sorted.
func (a *Archive) Recent() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	for _, u := range a.files[a.dir()] {
		names = append(names, u.Name)
	}
	slices.Sort(names)
	return names
}

// Find returns an upload by its path.
func (a *Archive) Find(p string) (Upload, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.files[path.Dir(p)] {
		if u.Path == p {
			return u, nil
		}
	}
	return Upload{}, fmt.Errorf("%w: %s", ErrNotFound, p)
}

func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || r == ' ' || r < 32 {
			return '_'
		}
		return r
	}, name)
}
