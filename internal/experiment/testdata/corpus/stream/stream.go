// Package stream has tests that count on how much a read returns, on the order of
// directories, on when garbage is collected, and on timers that fire in time.
package stream

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Header begins each frame.
type Header struct {
	Kind uint16
	Size uint32
}

// ReadHeader reads what a frame begins with.
func ReadHeader(r io.Reader) (h Header, err error) {
	var b [6]byte
	if _, err := r.Read(b[:]); err != nil { // cause header
		return h, err
	}
	h.Kind, h.Size = binary.BigEndian.Uint16(b[:]), binary.BigEndian.Uint32(b[2:])
	return h, nil
}

// Commands returns the commands that were sent, one a line.
func Commands(r io.Reader) ([]string, error) {
	var list []string
	b := make([]byte, 256)
	for {
		n, err := r.Read(b) // cause commands
		for _, line := range bytes.Split(bytes.TrimSpace(b[:n]), []byte("\n")) {
			if len(line) > 0 {
				list = append(list, string(line))
			}
		}
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
	}
}

// Lines is Commands that puts together what belongs together.
func Lines(r io.Reader) ([]string, error) {
	var list []string
	s := bufio.NewScanner(r)
	for s.Scan() {
		list = append(list, s.Text())
	}
	return list, s.Err()
}

// names lists a directory as it comes.
func names(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1) // cause copy
}

// Sum returns a sum of the names in a directory.
func Sum(dir string) (sum [32]byte, err error) {
	list, err := names(dir)
	return sha256.Sum256([]byte(strings.Join(list, "\n"))), err
}

// SortedSum is Sum that does not depend on the order.
func SortedSum(dir string) (sum [32]byte, err error) {
	list, err := names(dir)
	slices.Sort(list)
	return sha256.Sum256([]byte(strings.Join(list, "\n"))), err
}

// Rotate removes all but the last n files of a directory.
func Rotate(dir string, n int) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	list, err := f.ReadDir(-1) // cause rotate
	if err != nil {
		return err
	}
	for _, e := range list[:max(0, len(list)-n)] {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// Descriptor opens a file for raw writes.
func Descriptor(name string) (int, error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	return int(f.Fd()), nil // cause descriptor
}

// Write writes to a descriptor.
func Write(fd int, text string) error {
	_, err := syscall.Write(fd, []byte(text)) // cause descriptor
	return err
}

// A Lease is held for a time.
type Lease struct {
	mu    sync.Mutex
	owner string
}

// Take gives the lease to an owner, unless another one has it.
func (l *Lease) Take(owner string, d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owner != "" {
		return false
	}
	l.owner = owner
	time.AfterFunc(d, func() { // cause lease
		l.mu.Lock()
		defer l.mu.Unlock()
		l.owner = ""
	})
	return true
}
