package serve

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stored is the path below which stored reports are.
const stored = "/report/"

// maxStored is the size of a file that is served: pages have at most 5 MB.
const maxStored = 64 << 20

// contentTypes are the files of a report that are served: not its traces, nor the
// source, nor what else lies beside them. Nothing but pages is taken for one.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".md":   "text/plain; charset=utf-8",
	".json": "text/plain; charset=utf-8",
}

// stored serves a file of a report. Whoever wrote that may have wanted something else
// than a report: the policy runs nothing but the script that our pages have, and the
// sandbox gives the document an origin of its own, so that it can't read what else is
// served here, nor the cookie.
func (s *Server) stored(w http.ResponseWriter, r *http.Request, snap *snapshot) {
	dir, name := path.Split(strings.TrimPrefix(r.URL.Path, stored))
	x := snap.reports.at[strings.TrimSuffix(dir, "/")]
	kind := contentTypes[path.Ext(name)]
	if x == nil || !isName(name) || kind == "" || path.Ext(name) == ".json" && name != resultName {
		s.notFound(w, "There is no such report.")
		return
	}
	f, info, err := s.openStored(x, name, maxStored)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.Warnf("%v", err)
		}
		s.notFound(w, "There is no such report.")
		return
	}
	defer f.Close()
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", s.reportPolicy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Cache-Control", "private, no-cache")
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// isPage reports whether a file may be a page of a report.
func isPage(name string) bool {
	return path.Ext(name) == ".html" && isName(name)
}

// isName reports whether a file or directory has a name that can be shown and asked for.
func isName(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "/\\") && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, unicode.IsControl)
}

// openStored opens a regular file of a run, of so many bytes at the most. No link is followed
// for the file itself, and no link on the way leads out of the directory of reports.
func (s *Server) openStored(x *stock, name string, limit int64) (*os.File, fs.FileInfo, error) {
	source, dir, _ := strings.Cut(x.Where, "/")
	root, err := os.OpenRoot(s.sources()[source])
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	name = path.Join(dir, name)
	info, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit { // a pipe would wait for a writer
		return nil, nil, fs.ErrNotExist
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		f.Close()
		return nil, nil, fs.ErrNotExist
	}
	return f, info, nil
}
