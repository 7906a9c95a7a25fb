// Package late has code in which one goroutine is expected to be early.
package late

import (
	"sync"
	"sync/atomic"
	"time"
)

// An Index is filled in the background.
type Index struct {
	mu    sync.Mutex
	words map[string]int
	ready chan struct{}
}

// NewIndex indexes words.
func NewIndex(words []string) *Index {
	x := &Index{words: make(map[string]int), ready: make(chan struct{})}
	go x.fill(words)
	return x
}

func (x *Index) fill(words []string) {
	for i, w := range words { // cause index
		x.mu.Lock()    // cause index
		x.words[w] = i // cause index
		x.mu.Unlock()  // cause index
	} // cause index
	close(x.ready)
}

// Len returns how many words are in the index so far.
func (x *Index) Len() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.words)
}

// A Writer writes in the background.
type Writer struct {
	in   chan string
	mu   sync.Mutex
	done []string
}

// NewWriter starts a writer.
func NewWriter() *Writer {
	w := &Writer{in: make(chan string, 10)}
	go w.loop()
	return w
}

func (w *Writer) loop() {
	for s := range w.in { // cause close
		w.mu.Lock()                // cause close
		w.done = append(w.done, s) // cause close
		w.mu.Unlock()              // cause close
	}
}

// Write takes a line.
func (w *Writer) Write(s string) { w.in <- s }

// Close ends the writer. It does not wait for what was taken.
func (w *Writer) Close() { close(w.in) }

// Lines returns what was written.
func (w *Writer) Lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.done...)
}

// A Bus hands events to those who have subscribed by then.
type Bus struct {
	mu   sync.Mutex
	subs []chan int
}

// Subscribe returns a channel of all events that follow.
func (b *Bus) Subscribe() chan int {
	c := make(chan int, 4)     // cause subscribe
	b.mu.Lock()                // cause subscribe
	b.subs = append(b.subs, c) // cause subscribe
	b.mu.Unlock()
	return c
}

// Publish hands out an event.
func (b *Bus) Publish(e int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.subs {
		c <- e
	}
}

// A Server counts its connections.
type Server struct{ open atomic.Int64 }

// Serve counts one for d.
func (s *Server) Serve(d time.Duration) {
	s.open.Add(1)
	time.Sleep(d)
	s.open.Add(-1)
}
