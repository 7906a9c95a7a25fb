// Package journal writes an audit log.
package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// An Entry is one line of the log.
type Entry struct {
	Actor  string `json:"actor"`
	Action string `json:"action"`
}

// A Journal appends entries to a file. They are written in larger pieces, from
// time to time.
type Journal struct {
	file  *os.File
	every time.Duration
	quit  chan struct{}
	done  sync.WaitGroup

	mu  sync.Mutex
	buf *bufio.Writer
	err error
}

// Open opens the journal in a file.
func Open(path string, every time.Duration) (*Journal, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	j := &Journal{file: f, every: every, quit: make(chan struct{}), buf: bufio.NewWriter(f)}
	j.done.Add(1)
	go j.flusher()
	return j, nil
}

// Record appends an entry.
func (j *Journal) Record(actor, action string) error {
	data, err := json.Marshal(Entry{actor, action})
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	_, err = j.buf.Write(append(data, '\n'))
	return err
}

func (j *Journal) flusher() {
	defer j.done.Done()
	for {
		select {
		case <-time.After(j.every):
			j.flush()
		case <-j.quit:
			return
		}
	}
}

func (j *Journal) flush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.buf.Flush(); err != nil && j.err == nil {
		j.err = err
	}
}

// Close writes what is left and closes the file.
func (j *Journal) Close() error {
	close(j.quit)
	j.done.Wait()
	j.flush()
	return errors.Join(j.err, j.file.Close())
}

// Read returns the entries in a file.
func Read(path string) ([]Entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []Entry
	for d := json.NewDecoder(f); d.More(); {
		var e Entry
		if err := d.Decode(&e); err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}
