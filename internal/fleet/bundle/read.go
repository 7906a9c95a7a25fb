package bundle

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A Bundle is an opened bundle.
type Bundle struct {
	Manifest
	ID string // SHA-256 of the manifest, in hexadecimal digits

	zip     *zip.Reader
	entries map[string]*zip.File
	close   io.Closer
}

// Open opens a bundle. It does not read the files; Unpack does.
func Open(name string) (*Bundle, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = damaged("no file")
	}
	var b *Bundle
	if err == nil {
		b, err = read(f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	b.close = f
	return b, nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.close.Close() }

// read reads the directory and the manifest.
func read(r io.ReaderAt, size int64) (*Bundle, error) {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, damaged("%v", err)
	}
	z.RegisterDecompressor(zstd.ZipMethodWinZip,
		zstd.ZipDecompressor(zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow),
			zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true)))
	if len(z.File) == 0 || z.File[0].Name != manifestName {
		return nil, damaged("it does not begin with %s", manifestName)
	}
	data, err := readManifest(z.File[0], len(z.File))
	if err != nil {
		return nil, err
	}
	m, err := parseManifest(data)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Manifest: *m, ID: idOf(data), zip: z, entries: make(map[string]*zip.File)}
	return b, b.match(size)
}

// maxWindow limits what one decoder keeps in memory.
const maxWindow = 16 << 20

// readManifest reads the manifest of a bundle with the given number of files.
func readManifest(f *zip.File, files int) ([]byte, error) {
	if n := f.UncompressedSize64; n > maxManifest || n > 1<<20+maxEach*uint64(files) {
		return nil, damaged("a manifest of %d bytes for %d files", n, files)
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged("%v", err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(f.UncompressedSize64)+1))
	if err != nil {
		return nil, damaged("%s: %v", manifestName, err)
	}
	return data, nil
}

// match compares the entries with the manifest.
func (b *Bundle) match(size int64) error {
	if len(b.zip.File)-1 != len(b.Files) {
		return damaged("%d files, and the manifest has %d", len(b.zip.File)-1, len(b.Files))
	}
	total := int64(0)
	for i, f := range b.Files {
		e := b.zip.File[i+1]
		want := uint64(f.Size)
		if f.Link != "" {
			want = uint64(len(f.Link))
		}
		if e.Name != f.Name || e.UncompressedSize64 != want ||
			e.Method != zip.Store && e.Method != zstd.ZipMethodWinZip {
			return damaged("%q is not what the manifest says", f.Name)
		}
		total += f.Size
		b.entries[f.Name] = e
	}
	if total/maxRatio > size {
		return damaged("%d bytes of %d", total, size)
	}
	return nil
}

// Unpack writes the wanted files below a directory, which exists, and checks them. It makes the
// directories of all packages.
func (b *Bundle) Unpack(dir string, want func(name string) bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var files, links []File
	dirs := []string{path.Join(TreeDir, b.Root)}
	for _, p := range b.Packages {
		dirs = append(dirs, path.Join(TreeDir, p.Dir))
	}
	for _, f := range b.Files {
		if !want(f.Name) {
			continue
		}
		dirs = append(dirs, path.Dir(f.Name))
		if f.Link == "" {
			files = append(files, f)
		} else {
			links = append(links, f)
		}
	}
	if err := makeDirs(root, dirs); err != nil {
		return err
	}
	if err := b.extractAll(root, files); err != nil {
		return err
	}
	return makeLinks(root, links)
}

func makeDirs(root *os.Root, dirs []string) error {
	slices.Sort(dirs)
	for _, d := range slices.Compact(dirs) {
		if err := root.MkdirAll(filepath.FromSlash(d), 0o777); err != nil {
			return quoted(err)
		}
	}
	return nil
}

// A batch is the files of one directory.
type batch struct {
	dir   string
	files []File
	size  int64
}

// extractAll extracts files, from as many directories at once as there are processors. The
// largest come first.
func (b *Bundle) extractAll(root *os.Root, files []File) error {
	batches := batchesOf(files)
	next := make(chan *batch)
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(batches)))
	var workers sync.WaitGroup
	for i := range errs {
		workers.Go(func() {
			for batch := range next {
				if errs[i] == nil {
					errs[i] = b.extractBatch(root, batch)
				}
			}
		})
	}
	for _, batch := range batches {
		next <- batch
	}
	close(next)
	workers.Wait()
	return errors.Join(errs...)
}

func batchesOf(files []File) (list []*batch) {
	byDir := make(map[string]*batch)
	for _, f := range files {
		dir := path.Dir(f.Name)
		x := byDir[dir]
		if x == nil {
			x = &batch{dir: dir}
			byDir[dir] = x
			list = append(list, x)
		}
		x.files, x.size = append(x.files, f), x.size+f.Size
	}
	slices.SortStableFunc(list, func(x, y *batch) int { return cmp.Compare(y.size, x.size) })
	return list
}

// extractBatch opens the directory only once, because each open checks the path step by step.
func (b *Bundle) extractBatch(root *os.Root, x *batch) error {
	dir, err := root.OpenRoot(filepath.FromSlash(x.dir))
	if err != nil {
		return quoted(err)
	}
	defer dir.Close()
	for _, f := range x.files {
		if err := b.extract(dir, f); err != nil {
			return err
		}
	}
	return nil
}

// extract writes one file, which must be new, into its directory.
func (b *Bundle) extract(dir *os.Root, f File) (err error) {
	from, err := b.entries[f.Name].Open()
	if err != nil {
		return damaged("%s: %v", f.Name, err)
	}
	defer from.Close()
	mode := fs.FileMode(0o666)
	if f.Exec {
		mode = 0o777
	}
	to, err := dir.OpenFile(path.Base(f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return quoted(err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	return copyChecked(to, from, f)
}

// quoted quotes the names of files in an error, because they can be anything.
func quoted(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return fmt.Errorf("%s %q: %w", p.Op, p.Path, p.Err)
	}
	if l := (*os.LinkError)(nil); errors.As(err, &l) {
		return fmt.Errorf("%s %q to %q: %w", l.Op, l.New, l.Old, l.Err)
	}
	return err
}

// copyChecked copies a file if it is what the manifest says, and not more than that.
func copyChecked(to io.Writer, from io.Reader, f File) error {
	h := sha256.New()
	src := &input{r: io.LimitReader(from, f.Size+1)}
	n, err := io.Copy(io.MultiWriter(to, h), src)
	switch {
	case src.err != nil:
		return damaged("%s: %v", f.Name, src.err)
	case err != nil:
		return fmt.Errorf("unpacking: %w", err)
	case n != f.Size || hex.EncodeToString(h.Sum(nil)) != f.SHA256:
		return damaged("%s is not what the manifest says", f.Name)
	}
	return nil
}

// An input distinguishes read errors from write errors.
type input struct {
	r   io.Reader
	err error
}

func (s *input) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// makeLinks makes the symbolic links. If the system has none, their targets are missing, as when
// git checks them out.
func makeLinks(root *os.Root, links []File) error {
	for _, f := range links {
		if err := root.Symlink(filepath.FromSlash(f.Link), filepath.FromSlash(f.Name)); err != nil &&
			runtime.GOOS != "windows" {
			return quoted(err)
		}
	}
	return nil
}

// Read returns the content of a file.
func (b *Bundle) Read(name string) ([]byte, error) {
	i := slices.IndexFunc(b.Files, func(f File) bool { return f.Name == name })
	if i < 0 || b.Files[i].Link != "" {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	from, err := b.entries[name].Open()
	if err != nil {
		return nil, damaged("%s: %v", name, err)
	}
	defer from.Close()
	var to bytes.Buffer
	if err := copyChecked(&to, from, b.Files[i]); err != nil {
		return nil, err
	}
	return to.Bytes(), nil
}
