package serve

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// pageRows is how many tests a page lists.
const pageRows = 100

// A row is a test in the list.
type row struct {
	*history.Ranked
	Title    string // its name, or what stands for it, as it may be shown
	Path     string // the package, as it may be shown
	Rate     string // "always" if it is broken, "was 3 %" if it is gone
	Interval string
	Impact   string
	Since    string // commit, "" if unknown
	Earlier  bool   // or before, as that is the first with runs of it
	Last     time.Time
	Message  string // of its most frequent failure
	Verdict  string // "proved", "" for none
	Kind     string // of the flake, by the newest verdict, "" if unknown
	Spark    spark

	search string // what a filter looks at, in small letters
}

// row is a test as the list shows it: all texts of r are cut and made harmless by clean.
func (snap *snapshot) row(r *history.Ranked, clean *listing.Cleaner) row {
	x := row{
		Ranked: r, Title: clean.Line(titleOf(r.Name), 300), Path: clean.Line(r.Package, 300),
		Rate: history.Rate(&r.Score), Interval: strings.Replace(history.Interval(&r.Score), "-", "–", 1),
		Impact: history.PerWeek(r.Impact), Last: history.FromMinute(r.Score.Last), Spark: snap.spark(r.Points),
	}
	if r.Score.NoFlake {
		x.Interval = ""
	}
	switch r.State {
	case history.Broken:
		x.Rate, x.Interval = "always", ""
	case history.Gone:
		x.Rate = "was " + x.Rate
	}
	if c := r.Score.Since; c.Commit >= 0 {
		x.Since, x.Earlier = snap.tally.Short(c.Commit), c.Before >= 0.5
	}
	if len(r.Signatures) > 0 {
		x.Message = clean.Line(history.OneLine(r.Signatures[0].Message, r.Signatures[0].Text), 160)
	}
	if n := len(r.Verdicts); n > 0 {
		v := &r.Verdicts[n-1]
		x.Verdict, x.Kind = clean.Line(v.Class, 40), kindText(clean.Line(v.Category, 60))
	}
	x.search = strings.ToLower(r.Package + " " + r.Name + " " + x.Message)
	return x
}

// Link is the page of the test.
func (x row) Link() string { return testLink(x.Package, x.Name) }

func titleOf(name string) string {
	if name == "" {
		return "the package (TestMain or initialisation)"
	}
	return name
}

// kindText is a category in words.
func kindText(category string) string { return strings.ReplaceAll(category, "-", " ") }

func testLink(pkg, name string) string {
	return "/test?" + url.Values{"pkg": {pkg}, "name": {name}}.Encode()
}

// A query is what the list is asked for: the parameters of its form.
type query struct {
	Text    string // q: each word of it in package, name or message
	Package string // pkg
	State   string
	Kind    string
	Sort    string // one of sorts, "" for impact
	Page    int    // from 1
}

func queryOf(v url.Values) query {
	q := query{Text: v.Get("q"), Package: v.Get("pkg"), State: v.Get("state"), Kind: v.Get("kind"), Sort: v.Get("sort")}
	if sorts[q.Sort] == nil {
		q.Sort = ""
	}
	n, _ := strconv.Atoi(v.Get("page"))
	q.Page = min(max(n, 1), 1_000_000)
	return q
}

// link is the list by another order, or another page of it.
func (q query) link(sort string, page int) string {
	v := url.Values{}
	for name, value := range map[string]string{"q": q.Text, "pkg": q.Package, "state": q.State,
		"kind": q.Kind, "sort": sort} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	if len(v) == 0 {
		return "/"
	}
	return "/?" + v.Encode()
}

// sorts are the orders of the list. That by impact is how it is ranked.
var sorts = map[string]func(a, b *row) int{
	"rate":  func(a, b *row) int { return cmp.Compare(b.Score.Rate, a.Score.Rate) },
	"last":  func(a, b *row) int { return b.Last.Compare(a.Last) },
	"since": func(a, b *row) int { return cmp.Compare(b.Score.Since.Commit, a.Score.Since.Commit) },
	"name": func(a, b *row) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Package, b.Package))
	},
}

// choose returns the rows that a query asks for, in its order.
func (snap *snapshot) choose(q query) []*row {
	words := strings.Fields(strings.ToLower(q.Text))
	var list []*row
	for i := range snap.rows {
		x := &snap.rows[i]
		missing := slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(x.search, w) })
		if missing || q.Package != "" && q.Package != x.Path ||
			q.State != "" && q.State != string(x.State) || !q.hasKind(x) {
			continue
		}
		list = append(list, x)
	}
	if by := sorts[q.Sort]; by != nil {
		slices.SortStableFunc(list, by)
	}
	return list
}

// unproved is the kind of what no experiment has shown anything of.
const unproved = "none"

func (q query) hasKind(x *row) bool {
	switch q.Kind {
	case "":
		return true
	case unproved:
		return x.Verdict == ""
	}
	return q.Kind == x.Kind || q.Kind == x.Verdict
}

// An option is a choice of a form.
type option struct {
	Value, Label string
	Chosen       bool
}

func options[S ~string](values []S, chosen string) []option {
	var list []option
	for _, v := range values {
		list = append(list, option{string(v), string(v), string(v) == chosen})
	}
	return list
}

// A column is the head of one.
type column struct {
	Label string
	Link  string // sorts by it, "" if that can't be
	Here  string // how the list is sorted by it: "descending", "ascending", "" if it is not
	Class string
}

// A listPage is the data of the list.
type listPage struct {
	shell
	Extent, Shown           string
	Query                   query
	Packages, States, Kinds []option
	Sorts                   []option
	Filtered                bool
	Columns                 []column
	Rows                    []*row
	Back, Next              string
	Reports                 int
}

func (s *Server) listPage(w http.ResponseWriter, r *http.Request, snap *snapshot) {
	q := queryOf(r.URL.Query())
	list := snap.choose(q)
	q.Page = min(q.Page, max(1, (len(list)+pageRows-1)/pageRows))
	p := listPage{shell: s.shell("Tests by impact (fdebug)", "/", snap), Extent: snap.extent(), Query: q,
		Columns: q.columns(), Reports: len(snap.reports.list)}
	p.Packages, p.States, p.Kinds = snap.filters(q)
	for _, o := range [][2]string{{"", "impact"}, {"rate", "rate"}, {"last", "last failure"},
		{"since", "since"}, {"name", "name"}} {
		p.Sorts = append(p.Sorts, option{o[0], o[1], o[0] == q.Sort})
	}
	p.Filtered = q.Text+q.Package+q.State+q.Kind != ""
	from := (q.Page - 1) * pageRows
	to := min(from+pageRows, len(list))
	p.Rows = list[from:to]
	p.Shown = shown(from, to, len(list), len(snap.rows))
	if from > 0 {
		p.Back = q.link(q.Sort, q.Page-1)
	}
	if to < len(list) {
		p.Next = q.link(q.Sort, q.Page+1)
	}
	s.render(w, http.StatusOK, "list.html", p)
}

func shown(from, to, chosen, all int) string {
	switch {
	case all == 0:
		return "No test has failed."
	case chosen == 0:
		return fmt.Sprintf("None of the %d tests that have failed.", all)
	case to-from < chosen:
		return fmt.Sprintf("%d to %d of %d", from+1, to, chosen)
	case chosen < all:
		return fmt.Sprintf("%d of %d", chosen, all)
	}
	return plural(all, "test") + " that have failed."
}

func (q query) columns() []column {
	list := []column{
		{Label: "Test", Link: "name", Here: "ascending"},
		{Label: "Fails", Link: "rate", Here: "descending", Class: "num"},
		{Label: "A week", Link: "impact", Here: "descending", Class: "num"},
		{Label: "Since", Link: "since", Here: "descending"}, {Label: "Trend"}, {Label: "Cause"},
		{Label: "Last failed", Link: "last", Here: "descending"},
	}
	for i := range list {
		c := &list[i]
		by := c.Link
		if by == "impact" {
			by = ""
		}
		if c.Link == "" || by != q.Sort {
			c.Here = ""
		}
		if c.Link != "" {
			c.Link = q.link(by, 1)
		}
	}
	return list
}

// filters are what the list can be filtered by.
func (snap *snapshot) filters(q query) (packages, states, kinds []option) {
	var p, k []string
	for i := range snap.rows {
		x := &snap.rows[i]
		p = append(p, x.Path)
		k = append(k, x.Kind, x.Verdict)
	}
	kinds = append(options(distinct(k), q.Kind), option{unproved, "nothing shown yet", q.Kind == unproved})
	return options(distinct(p), q.Package), options(history.States, q.State), kinds
}

// distinct returns those that are not empty, each once.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" })
}

// extent says what the history is of.
func (snap *snapshot) extent() string {
	if snap.tally.Runs == 0 {
		return "There are no runs of tests in the history yet."
	}
	return snap.tally.Extent(plural) + "."
}

// plural counts, with a space between thousands.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return thousands(n) + " " + what + "s"
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	if n < 10_000 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// Ago says how long before the page a time was.
func (x shell) Ago(t time.Time) string {
	d := x.Now.Sub(t)
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", max(0, int(d.Minutes())))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// Day and Moment print a time, Stamp prints it for programs.
func (x shell) Day(t time.Time) string    { return t.UTC().Format(time.DateOnly) }
func (x shell) Moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
func (x shell) Stamp(t time.Time) string  { return t.UTC().Format(time.RFC3339) }
