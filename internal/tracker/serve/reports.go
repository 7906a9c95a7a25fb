package serve

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// maxListed is how many runs the page of reports lists.
const maxListed = 200

// A reportsPage lists the stored reports.
type reportsPage struct {
	shell
	Runs    []*stock
	More    int
	Modules []option
	Chosen  string // module
	None    bool
	Many    bool // there are two pages to compare
}

func (s *Server) reportsPage(w http.ResponseWriter, r *http.Request, snap *snapshot) {
	p := reportsPage{shell: s.shell("Stored reports (fdebug)", "/reports", snap), Chosen: r.URL.Query().Get("module"),
		None: len(snap.reports.list) == 0}
	var modules []string
	for _, x := range snap.reports.list {
		modules = append(modules, x.Module)
		if p.Chosen == "" || p.Chosen == x.Module {
			p.Runs = append(p.Runs, x)
		}
	}
	p.Modules = options(distinct(modules), p.Chosen)
	p.Runs, p.More = cut(p.Runs, maxListed)
	pages := 0
	for _, x := range p.Runs {
		pages += len(x.Tests)
	}
	p.Many = pages > 1
	s.render(w, http.StatusOK, "reports.html", p)
}

// A comparePage has two reports side by side.
type comparePage struct {
	shell
	A, B  *reported
	Facts []fact
	Other string // the same with the sides changed
}

// A fact is something that both reports say.
type fact struct {
	Name, A, B string
	Differs    bool
}

func (s *Server) comparePage(w http.ResponseWriter, r *http.Request, snap *snapshot) {
	v := r.URL.Query()
	a, b := snap.reports.find(v.Get("a")), snap.reports.find(v.Get("b"))
	if a == nil || b == nil {
		s.notFound(w, "Choose two reports of a test, on its page or in the list of reports: "+
			"one of these is no longer there, or was not chosen.")
		return
	}
	p := comparePage{shell: s.shell("Two reports (fdebug)", "", snap), A: a, B: b,
		Other: "/compare?" + url.Values{"a": {b.ID()}, "b": {a.ID()}}.Encode()}
	for _, f := range []fact{
		{Name: "Test", A: a.Title(), B: b.Title()},
		{Name: "Package", A: a.Package, B: b.Package},
		{Name: "Run", A: a.Stock.When(), B: b.Stock.When()},
		{Name: "Failed", A: a.Count(), B: b.Count()},
		{Name: "Kind", A: a.Kind, B: b.Kind},
		{Name: "Look first at", A: a.Place, B: b.Place},
		{Name: "It says", A: a.Message, B: b.Message},
		{Name: "Go", A: a.Go, B: b.Go},
		{Name: "Command", A: a.Stock.Command, B: b.Stock.Command},
	} {
		if f.A != "" || f.B != "" {
			f.Differs = f.A != f.B
			p.Facts = append(p.Facts, f)
		}
	}
	s.render(w, http.StatusOK, "compare.html", p)
}

// Count says how many runs failed, and the rate.
func (t *reported) Count() string {
	if t.Runs <= 0 {
		return "no run with a result"
	}
	return plural(t.Failed, "failure") + " in " + plural(t.Runs, "run") + " (" + t.Rate() + ")"
}

// find returns the page that a comparison names.
func (c *catalogue) find(id string) *reported {
	dir, name := path.Split(id)
	x := c.at[strings.TrimSuffix(dir, "/")]
	if x == nil {
		return nil
	}
	for _, t := range x.Tests {
		if t.File == name {
			return t
		}
	}
	return nil
}
