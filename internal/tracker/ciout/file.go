package ciout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A File is where an output goes. The zero File is none.
type File struct{ name string }

// Open finds out whether a file can be written, before anything is done that takes time.
// What an earlier run wrote there goes away: nobody shall take it for this one's.
func Open(name string) (File, error) {
	if name == "" {
		return File{}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return File{}, fmt.Errorf("%s: is a directory", name)
	case err == nil && !info.Mode().IsRegular(): // a pipe, or /dev/stdout
		return File{name}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return File{}, err
	}
	f, err := createTemp(name)
	if err != nil {
		return File{}, err
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return File{}, err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return File{}, err
	}
	return File{name}, nil
}

// createTemp creates a file beside another one, to take its place later. Errors name the
// other one.
func createTemp(name string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".fdebug-*")
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return nil, fmt.Errorf("%s: %w", name, p.Err)
	}
	return f, err
}

// Write writes the file, all of it or nothing.
func (f File) Write(fill func(io.Writer) error) error {
	if f.name == "" {
		return nil
	}
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	if info, err := os.Stat(f.name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(f.name, b.Bytes(), 0o666)
	}
	tmp, err := createTemp(f.name)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename, as it should
	_, err = tmp.Write(b.Bytes())
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), f.name)
}

// Append appends to a file that others append to as well, in one piece, as much as fill
// writes when told how many bytes there is room for.
func Append(name string, limit int, fill func(w io.Writer, room int) error) error {
	if info, err := os.Stat(name); err == nil {
		limit -= int(min(info.Size(), int64(limit)))
	}
	var b bytes.Buffer
	if err := fill(&b, limit); err != nil {
		return err
	}
	if b.Len() > limit {
		return fmt.Errorf("%s: no room for %d bytes more", name, b.Len())
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	return errors.Join(err, f.Close())
}
