package ciout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fdebug/fdebug/report"
)

// prepare finds out whether a file can be written, before anything is done that takes time.
// What an earlier run wrote there goes away: nobody shall take it for this one's.
func prepare(name string) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: is a directory", name)
	case err == nil && !info.Mode().IsRegular(): // a pipe, or /dev/stdout
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".fdebug-*")
	if err != nil {
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			err = p.Err // without the name of the other file
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// write writes a file, all of it or nothing.
func write(name string, fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, b.Bytes(), 0o666)
	}
	return report.WriteFile(name, b.Bytes())
}

// A part is what was appended to a file.
type part struct {
	from  int64 // how large the file was before
	added bool
}

// add appends to a file that others have appended to as well, in one piece, as much as fill
// writes when told how many bytes there is room for. It replaces what it added before.
func (p *part) add(name string, limit int, fill func(w io.Writer, room int) error) error {
	if info, err := os.Stat(name); err == nil && p.added {
		if err := os.Truncate(name, min(p.from, info.Size())); err != nil {
			return err
		}
	} else if err == nil {
		p.from = info.Size()
	}
	p.added = true
	limit -= int(min(p.from, int64(limit)))
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
