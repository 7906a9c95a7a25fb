package serve

import (
	"cmp"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/report"
)

// A catalogue is the stored reports. It is never changed.
type catalogue struct {
	list []*stock // the newest first
	at   map[string]*stock
	of   map[testKey][]*reported // the newest first
}

// A stock is the reports of one run of fdebug: a directory with a result.json.
type stock struct {
	Where   string // "local" or "shared", and the directory below it, with slashes
	Module  string
	Run     string // last element of the directory
	Started time.Time
	Command string
	Tests   []*reported
	Broken  string // what is wrong with its result.json, "" if nothing is

	changed time.Time // of the result.json
	size    int64
}

// A reported test is one that has a page.
type reported struct {
	Stock        *stock
	Package      string
	Name         string
	File         string // of the page
	Failed, Runs int
	Kind         string // "concurrency · proved", "" if nothing is shown
	Place        string // of the cause, or of what is named first
	Message      string
	Go           string
}

const (
	resultName = "result.json"
	maxDepth   = 12      // of directories with reports
	maxStocks  = 2000    // runs that are listed, the newest
	maxResult  = 8 << 20 // of a result.json
)

// sources are the directories with reports, by the name that they have in addresses.
func (s *Server) sources() map[string]string {
	m := make(map[string]string)
	for name, dir := range map[string]string{"local": s.Local, "shared": s.Shared} {
		if dir != "" {
			m[name] = dir
		}
	}
	return m
}

// catalogue looks for reports. What has not changed since is not read again.
func (s *Server) catalogue(old *catalogue) *catalogue {
	c := &catalogue{at: make(map[string]*stock), of: make(map[testKey][]*reported)}
	for name, dir := range s.sources() {
		root, err := os.OpenRoot(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				s.Warnf("%v", err)
			}
			continue
		}
		c.list = append(c.list, look(root, name)...)
		root.Close()
	}
	slices.SortFunc(c.list, func(a, b *stock) int {
		return cmp.Or(strings.Compare(b.Run, a.Run), strings.Compare(a.Where, b.Where)) // a run is named by its time
	})
	c.list = c.list[:min(len(c.list), maxStocks)]
	for i, x := range c.list {
		if old != nil {
			if known := old.at[x.Where]; known != nil && known.size == x.size && known.changed.Equal(x.changed) {
				c.list[i], x = known, known
			}
		}
		if x.Tests == nil && x.Broken == "" {
			s.read(x)
		}
		c.at[x.Where] = x
		for _, t := range x.Tests {
			key := testKey{t.Package, t.Name}
			c.of[key] = append(c.of[key], t)
		}
	}
	return c
}

// look finds the directories with a result.json. It follows no links, and does not look
// below what it finds.
func look(root *os.Root, name string) (list []*stock) {
	fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir // somebody is at it
		case !d.IsDir():
			return nil
		case p != "." && !isName(d.Name()), strings.Count(p, "/") >= maxDepth, len(list) > 10*maxStocks:
			return fs.SkipDir
		}
		info, err := root.Lstat(path.Join(p, resultName))
		if err != nil || !info.Mode().IsRegular() || p == "." {
			return nil
		}
		list = append(list, &stock{Where: name + "/" + p, Run: path.Base(p),
			changed: info.ModTime(), size: info.Size()})
		return fs.SkipDir
	})
	return list
}

// read reads what the result.json of a run says of its tests.
func (s *Server) read(x *stock) {
	x.Tests = []*reported{}
	x.Broken = "its result.json can't be read"
	f, _, err := s.openStored(x, resultName, maxResult)
	if err != nil {
		return
	}
	defer f.Close()
	d, err := report.ReadJSON(f)
	if err != nil {
		return
	}
	x.Broken = ""
	x.Module, x.Command = s.line(d.Module), s.line(strings.Join(d.Command, " "))
	x.Started, _ = time.Parse(time.RFC3339, d.Started)
	for i := range d.Tests {
		if t := &d.Tests[i]; t.Report != "" && isPage(t.Report) {
			x.Tests = append(x.Tests, reportedOf(x, t, d.Go))
		}
	}
}

func reportedOf(x *stock, t *report.DocumentTest, release string) *reported {
	r := &reported{
		Stock: x, Package: t.Package, Name: t.Test, File: t.Report, Failed: t.Failed, Runs: t.Passed + t.Failed,
		Go: text.Clip(release, 60),
	}
	if len(t.Failures) > 0 {
		r.Message = text.Clip(history.OneLine(t.Failures[0].Message, t.Failures[0].Signature), 300)
	}
	switch {
	case len(t.Experiments) > 0:
		e := t.Experiments[0]
		r.Kind = e.Verdict.String()
		if e.Category != "" {
			r.Kind = kindText(text.Clip(e.Category, 60)) + " · " + r.Kind
		}
		if where := e.Where(); len(where) > 0 {
			r.Place = placeOf(where[0].File, where[0].Start)
		}
	case len(t.Suspects) > 0:
		r.Place = placeOf(t.Suspects[0].File, t.Suspects[0].Start)
	}
	return r
}

func placeOf(file string, line int) string {
	return text.Clip(file, 200) + ":" + strconv.Itoa(line)
}

// Link is the page of the test in the report.
func (t *reported) Link() string { return storedLink(t.Stock.Where, t.File) }

// ID names it in a comparison.
func (t *reported) ID() string { return t.Stock.Where + "/" + t.File }

// Choice offers it for a comparison.
func (t *reported) Choice() choice { return choice{reported: t} }

// Title is the name of the test.
func (t *reported) Title() string { return titleOf(t.Name) }

// TestLink returns the link to its history.
func (t *reported) TestLink() string { return testLink(t.Package, t.Name) }

// Rate says how often it failed.
func (t *reported) Rate() string {
	if t.Runs <= 0 {
		return ""
	}
	return report.Rate(t.Failed, t.Runs)
}

// linkTo is the page of a test in the reports of a session, or the index of these; "" if
// they are not there.
func (c *catalogue) linkTo(where string, key testKey) string {
	x := c.at["shared/"+where]
	if x == nil {
		return ""
	}
	for _, t := range x.Tests {
		if t.Package == key.pkg && t.Name == key.name {
			return t.Link()
		}
	}
	return x.Link()
}

// Link is the index of a run.
func (x *stock) Link() string { return storedLink(x.Where, "index.html") }

// When is when the run was begun, as far as that is known.
func (x *stock) When() string {
	if x.Started.IsZero() {
		return x.Run
	}
	return x.Started.UTC().Format("2006-01-02 15:04") + " UTC"
}

// storedLink is the address of a file of a report.
func storedLink(where, file string) string {
	var parts []string
	for _, part := range strings.Split(where+"/"+file, "/") {
		parts = append(parts, url.PathEscape(part))
	}
	return stored + strings.Join(parts, "/")
}
