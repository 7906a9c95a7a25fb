// Package system has tests that count on what the operating system need not give.
package system

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// Receive reads a message: its length, and that many bytes.
func Receive(r io.Reader) (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", err
	}
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	n, err := r.Read(b) // cause shortread
	return string(b[:n]), err
}

// ReceiveAll is Receive that waits for all of it.
func ReceiveAll(r io.Reader) (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", err
	}
	b := make([]byte, binary.BigEndian.Uint32(head[:]))
	n, err := io.ReadFull(r, b)
	return string(b[:n]), err
}

// Send sends a message.
func Send(w io.Writer, text string) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	_, err := w.Write(append(b, text...))
	return err
}

// Oldest returns the name of the file that was made first.
func Oldest(dir string) (string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return "", err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// List returns the names in a directory.
func List(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1) // cause unchanged
}

// Numbered makes n files.
func Numbered(dir string, n int) error {
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("file", i)), nil, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Serve listens where its clients look for it.
func Serve() (net.Listener, error) {
	return net.Listen("tcp", "127.0.0.1:39417") // cause port
}

// ServeAnywhere listens where there is room.
func ServeAnywhere() (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:39418")
	if err != nil {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return l, nil
}

// Lines opens a file for each line of a log, and closes none.
func Lines(dir string, n int) (open []*os.File, err error) {
	for i := range n {
		f, err := os.Create(filepath.Join(dir, fmt.Sprint("line", i)))
		if err != nil {
			return open, err
		}
		open = append(open, f) // cause files
	}
	return open, nil
}
