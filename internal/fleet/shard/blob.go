package shard

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A blob is an open blob.
type blob struct {
	Header
	zip   *zip.ReadCloser
	files map[string]*zip.File
}

// Limits for reading a blob.
const (
	maxFiles = 1 << 20
	maxFile  = 4 << 30 // bytes, unpacked
)

// openBlob opens a blob and reads its header. Errors are errNotBlob, errNewer, errDamaged and
// those of the file system.
func openBlob(file string) (*blob, error) {
	z, err := zip.OpenReader(file)
	if errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, notZip(file)
	} else if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, err
	}
	b := &blob{zip: z, files: make(map[string]*zip.File)}
	if err := b.index(); err != nil {
		z.Close()
		return nil, err
	}
	return b, nil
}

// PartIn returns which part of a whole a file has, and false if it is not a blob.
func PartIn(file string) (Part, bool) {
	b, err := openBlob(file)
	if err != nil {
		return Part{}, false
	}
	defer b.Close()
	return b.Part, true
}

// notZip distinguishes the beginning of an archive, whose end is missing, from another file.
func notZip(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	magic := make([]byte, 4)
	if n, _ := io.ReadFull(f, magic); n == 4 && string(magic) == "PK\x03\x04" {
		return damaged("its end is missing")
	}
	return errNotBlob
}

// Close closes the file.
func (b *blob) Close() error { return b.zip.Close() }

func (b *blob) index() error {
	if len(b.zip.File) > maxFiles {
		return damaged("%d files", len(b.zip.File))
	}
	for _, f := range b.zip.File {
		if !safe(f.Name) {
			return damaged("it has a file named %q", f.Name)
		}
		if b.files[f.Name] != nil {
			return damaged("it has %q twice", f.Name)
		}
		b.files[f.Name] = f
	}
	if b.files[headerFile] == nil {
		return errNotBlob
	}
	data, err := b.read(headerFile, maxHeader)
	if err != nil {
		return err
	}
	var v struct {
		Version int `json:"fdebug_shard"`
	}
	if json.Unmarshal(data, &v) != nil || v.Version == 0 {
		return errNotBlob
	}
	if v.Version > version { // nobody knows what else differs
		return (&Header{Version: v.Version}).check()
	}
	if err := json.Unmarshal(data, &b.Header); err != nil {
		return damaged("its header: %v", err)
	}
	return b.check()
}

// safe reports whether a name stays inside the directory of the blob.
func safe(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && path.Clean(name) == name &&
		!strings.ContainsAny(name, "\\:\x00")
}

// open opens a file of the blob. It reads no more than most, whatever the size is said to be.
func (b *blob) open(name string, most int64) (io.ReadCloser, error) {
	f := b.files[name]
	if f == nil {
		return nil, damaged("%s is missing", name)
	}
	if f.UncompressedSize64 > uint64(most) {
		return nil, damaged("%s has %d bytes", name, f.UncompressedSize64)
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged("%s: %v", name, err)
	}
	return r, nil // package zip reads no more than it says
}

// read reads a file that may have at most most bytes.
func (b *blob) read(name string, most int64) ([]byte, error) {
	r, err := b.open(name, most)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return nil, damaged("%s: %v", name, err)
	}
	return data, nil
}

// extract writes a file of the blob to a path where no file exists.
func (b *blob) extract(name, to string) error {
	r, err := b.open(name, maxFile)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrFormat) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = damaged("%s: %v", name, err)
	}
	return errors.Join(err, f.Close())
}

// An Entry is a file that may be a blob.
type Entry struct {
	File string
	*Header
}

// Describe says in a few words where a blob comes from.
func (e *Entry) Describe() string {
	return fmt.Sprintf("shard %v, attempt %d, of %s", e.Part, e.Attempt, orNone(e.Host))
}
