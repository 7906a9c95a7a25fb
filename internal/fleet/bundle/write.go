package bundle

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A Writer collects what goes into a bundle.
type Writer struct {
	Manifest Manifest
	from     []content // of the files of the manifest
}

// A content says where a file's bytes come from.
type content struct {
	path string // of a file; "" for data
	data []byte
}

// Add adds a file of this machine.
func (w *Writer) Add(name, path string, exec bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	w.add(File{Name: name, Size: n, SHA256: hex.EncodeToString(h.Sum(nil)), Exec: exec}, content{path: path})
	return nil
}

// AddData adds a file that is not on disk.
func (w *Writer) AddData(name string, data []byte) {
	sum := sha256.Sum256(data)
	w.add(File{Name: name, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}, content{data: data})
}

// addLink adds a symbolic link of the tree. It returns false if the link would leave the tree.
func (w *Writer) addLink(name, target string) bool {
	target = filepath.ToSlash(target)
	if !staysInside(name, target) {
		return false
	}
	w.add(File{Name: name, Link: target}, content{})
	return true
}

func (w *Writer) add(f File, c content) {
	w.Manifest.Files = append(w.Manifest.Files, f)
	w.from = append(w.from, c)
}

// Size returns the total size of the files in the bundle.
func (w *Writer) Size() (n int64) {
	for _, f := range w.Manifest.Files {
		n += f.Size
	}
	return n
}

// Encode completes the manifest, and returns it with the bundle's id.
func (w *Writer) Encode() (manifest []byte, id string, err error) {
	w.Manifest.Format = version
	if err := w.Manifest.check(); err != nil {
		return nil, "", err
	}
	if manifest, err = json.MarshalIndent(&w.Manifest, "", "\t"); err != nil {
		return nil, "", err
	}
	if len(manifest) > maxManifest {
		return nil, "", fmt.Errorf("%d files are too many for a bundle", len(w.Manifest.Files))
	}
	return manifest, idOf(manifest), nil
}

func idOf(manifest []byte) string {
	sum := sha256.Sum256(manifest)
	return hex.EncodeToString(sum[:])
}

// WriteFile writes the bundle, all of it or nothing, with the manifest from Encode.
func (w *Writer) WriteFile(name string, manifest []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := w.write(f, manifest); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

func (w *Writer) write(to io.Writer, manifest []byte) error {
	z := zip.NewWriter(to)
	z.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedDefault)))
	if err := writeEntry(z, File{Name: manifestName, Size: int64(len(manifest))},
		bytes.NewReader(manifest)); err != nil {
		return err
	}
	for i, f := range w.Manifest.Files {
		if err := w.writeFile(z, f, w.from[i]); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeFile writes an entry, and checks that it is what the manifest says.
func (w *Writer) writeFile(z *zip.Writer, f File, c content) error {
	if f.Link != "" {
		return writeEntry(z, f, strings.NewReader(f.Link))
	}
	var from io.Reader = bytes.NewReader(c.data)
	if c.path != "" {
		file, err := os.Open(c.path)
		if err != nil {
			return err
		}
		defer file.Close()
		from = file
	}
	h := sha256.New()
	if err := writeEntry(z, f, io.TeeReader(from, h)); err != nil {
		return err
	}
	if hex.EncodeToString(h.Sum(nil)) != f.SHA256 {
		return fmt.Errorf("%s was changed while it was read", c.path)
	}
	return nil
}

func writeEntry(z *zip.Writer, f File, from io.Reader) error {
	h := &zip.FileHeader{Name: f.Name, Method: zstd.ZipMethodWinZip}
	mode := os.FileMode(0o644)
	switch {
	case f.Link != "":
		mode = os.ModeSymlink | 0o777
		h.Method = zip.Store
	case f.Exec:
		mode = 0o755
	case f.Size < 64:
		h.Method = zip.Store
	}
	h.SetMode(mode)
	to, err := z.CreateHeader(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return err
}
