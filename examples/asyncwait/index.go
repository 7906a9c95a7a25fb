// Package asyncwait is a small full-text index. Documents are accepted at once
// and indexed by a background goroutine, in the order in which they came.
package asyncwait

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// A Doc is a document to be found again.
type Doc struct {
	ID   int
	Text string
}

// A Disk keeps the segments of an index.
type Disk interface {
	WriteSegment(id int, words []string) error
}

// An Index finds documents by the words in them.
type Index struct {
	disk  Disk
	queue chan Doc
	idle  chan struct{} // closed when the indexing goroutine has ended

	mu       sync.RWMutex
	postings map[string][]int
	failed   []int
}

// New returns an empty index that stores its segments on disk.
func New(disk Disk) *Index {
	x := &Index{
		disk:     disk,
		queue:    make(chan Doc, 64),
		idle:     make(chan struct{}),
		postings: make(map[string][]int),
	}
	go x.run()
	return x
}

// Add accepts a document. It can be found once its segment is on disk.
func (x *Index) Add(d Doc) {
	x.queue <- d
}

// Search returns the ids of the documents that contain word, in the order in
// which they were indexed.
func (x *Index) Search(word string) []int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	ids, ok := x.postings[strings.ToLower(word)]
	if !ok {
		return nil
	}
	return slices.Clone(ids)
}

// Failed returns the ids of the documents that could not be stored.
func (x *Index) Failed() []int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return slices.Clone(x.failed)
}

// Close indexes what is still queued and stops the index.
func (x *Index) Close() {
	close(x.queue)
	<-x.idle
}

func (x *Index) run() {
	defer close(x.idle)
	for d := range x.queue {
		words := split(d.Text)
		if err := x.disk.WriteSegment(d.ID, words); err != nil {
			x.mu.Lock()
			x.failed = append(x.failed, d.ID)
			x.mu.Unlock()
			continue
		}
		x.publish(d.ID, words)
	}
}

func (x *Index) publish(id int, words []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, w := range words {
		x.postings[w] = append(x.postings[w], id)
	}
}

// split returns the distinct words of text in lower case, sorted.
func split(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	slices.Sort(words)
	return slices.Compact(words)
}
