package tracker

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/store"
)

// A Reports is a directory in which the reports of runs are collected, of any machine and any
// module:
//
//	DIR/<module path, escaped>/<run>/index.html, result.json, *.html, *.md
//
// In the module path each capital letter is written as an exclamation mark and the small letter,
// as in the module cache, because some file systems ignore case.
type Reports struct {
	Dir  string
	most int64 // bytes of the reports of one run; 0 for [MaxReports]
}

// MaxReports is the size limit for the reports of one run. A page is some hundred kB.
const MaxReports = 256 << 20

// errPath is returned for names that can't be a directory of reports.
var errPath = errors.New("not a name for a directory")

// ReportsPath returns where the reports of a run are below the directory, with slashes.
func ReportsPath(module, run string) (string, error) {
	escaped := escape(module)
	for elem := range strings.SplitSeq(escaped+"/"+run, "/") {
		if elem == "" || elem[0] == '.' || strings.ContainsFunc(elem, unusual) || len(elem) > 200 {
			return "", fmt.Errorf("%q: %w", path.Join(module, run), errPath)
		}
	}
	return escaped + "/" + run, nil
}

// unusual reports whether a character can't occur in a module path.
func unusual(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~+!", r))
}

func escape(module string) string {
	var b strings.Builder
	for _, r := range module {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// partial begins the names of files that are being written.
const partial = ".partial-"

// An Added says what was done with the reports of a run.
type Added struct {
	Files   int      // files that are there now
	Written int      // files that were new, or had other content
	Left    []string // files that were left out because all together are too large
}

// Add copies the reports in a run directory to a path from [ReportsPath]. Each file is complete
// at any moment, and the index is written last. It leaves equal files alone, so that after a kill
// the same call continues. It removes files of an earlier report.
func (r Reports) Add(ctx context.Context, to, from string) (*Added, error) {
	src, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		return nil, err
	}
	all, err := os.OpenRoot(r.Dir)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	if err := all.MkdirAll(filepath.FromSlash(to), 0o777); err != nil {
		return nil, err
	}
	dst, err := all.OpenRoot(filepath.FromSlash(to))
	if err != nil {
		return nil, err
	}
	defer dst.Close()
	lock, err := store.LockOpen(dst)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	return r.copyAll(ctx, dst, src)
}

func (r Reports) copyAll(ctx context.Context, dst, src *os.Root) (*Added, error) {
	names, err := reportNames(src)
	if err != nil {
		return nil, err
	}
	done := &Added{}
	room := cmp.Or(r.most, MaxReports)
	var keep []string
	for _, e := range names {
		if e.size > room {
			done.Left = append(done.Left, e.name)
			continue
		}
		room -= e.size
		keep = append(keep, e.name)
	}
	slices.Reverse(keep) // the index was the first to get room, and must be written last
	if err := removeOthers(dst, keep); err != nil {
		return nil, err
	}
	for _, name := range keep {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		written, err := copyFile(dst, src, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		done.Files++
		if written {
			done.Written++
		}
	}
	return done, nil
}

type reportFile struct {
	name string
	size int64
}

// reportNames returns the files of a report, the most valuable first.
func reportNames(src *os.Root) ([]reportFile, error) {
	entries, err := fs.ReadDir(src.FS(), ".")
	if err != nil {
		return nil, err
	}
	var list []reportFile
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !isReport(e.Name()) {
			continue
		}
		list = append(list, reportFile{e.Name(), info.Size()})
	}
	rank := func(f reportFile) int { return slices.Index([]string{"", "result.json", "index.html"}, f.name) }
	slices.SortStableFunc(list, func(a, b reportFile) int { return rank(b) - rank(a) })
	return list, nil
}

func isReport(name string) bool {
	ext := filepath.Ext(name)
	return name == "result.json" || name[0] != '.' && (ext == ".html" || ext == ".md")
}

// removeOthers removes what a killed process left, and files of a report that was replaced.
func removeOthers(dst *os.Root, keep []string) error {
	entries, err := fs.ReadDir(dst.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, partial) || isReport(name) && !slices.Contains(keep, name) {
			if err := dst.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyFile copies a file under another name and renames it, unless the same content is there.
func copyFile(dst, src *os.Root, name string) (written bool, err error) {
	in, err := src.Open(name)
	if err != nil {
		return false, err
	}
	defer in.Close()
	if isSame(dst, in, name) {
		return false, nil
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	tmp := partial + rand.Text()
	out, err := dst.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return false, err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync() // the history must not name files that are lost in a crash
	}
	if err = cmp.Or(err, out.Close()); err == nil {
		err = dst.Rename(tmp, name)
	}
	if err != nil {
		dst.Remove(tmp)
	}
	return true, err
}

// isSame reports whether a file exists with the same content.
func isSame(dst *os.Root, in io.Reader, name string) bool {
	there, err := dst.Open(name)
	if err != nil {
		return false
	}
	defer there.Close()
	if info, err := there.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	var a, b [32 << 10]byte
	for {
		n, err := io.ReadFull(in, a[:])
		m, _ := io.ReadFull(there, b[:])
		if n != m || !bytes.Equal(a[:n], b[:m]) {
			return false
		}
		if err != nil {
			return err == io.EOF || err == io.ErrUnexpectedEOF
		}
	}
}
