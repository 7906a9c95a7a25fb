package serve

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// A node is an element of a page.
type node struct {
	name     string
	attr     map[string]string
	text     string // its own text is that of children with no name
	children []*node
}

// parse reads a page. Ours close what they open, so that a lenient reader of XML does.
func parse(t *testing.T, page string) *node {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	root := &node{}
	open := []*node{root}
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the page can't be parsed: %v", err)
		}
		top := open[len(open)-1]
		switch tok := tok.(type) {
		case xml.StartElement:
			n := &node{name: tok.Name.Local, attr: map[string]string{}}
			for _, a := range tok.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			top.children = append(top.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			top.children = append(top.children, &node{text: string(tok)})
		}
	}
	if len(open) != 1 {
		t.Fatalf("%s is not closed", open[len(open)-1].name)
	}
	return root
}

// all returns the elements with a name below n, in order.
func (n *node) all(name string) (list []*node) {
	for _, c := range n.children {
		if c.name == name {
			list = append(list, c)
		}
		list = append(list, c.all(name)...)
	}
	return list
}

// words is the text below n, as a reader without a picture has it.
func (n *node) words() string {
	if n.name == "style" || n.name == "script" || n.name == "title" {
		return ""
	}
	if label := n.attr["aria-label"]; n.name == "svg" {
		return "[" + label + "]"
	}
	text := n.text
	for _, c := range n.children {
		text += " " + c.words()
	}
	return strings.Join(strings.Fields(text), " ")
}

// outline shows the structure of a page: landmarks, headings, forms, tables, links.
func outline(n *node, depth int, b *strings.Builder) {
	line := func(format string, args ...any) {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
	}
	switch n.name {
	case "header", "main", "footer", "form", "section", "nav":
		name := n.attr["aria-label"]
		if n.name == "form" {
			name += " " + n.attr["method"] + " " + n.attr["action"]
		}
		line("%s: %s", n.name, strings.TrimSpace(name))
		depth++
	case "h1", "h2", "h3", "figcaption", "li", "p", "button", "summary", "dd", "dt":
		line("%s: %s", n.name, n.words())
		if n.name != "li" && n.name != "p" && n.name != "h2" {
			return
		}
		depth++
	case "tr":
		var cells []string
		for _, c := range n.children {
			if c.name == "th" || c.name == "td" {
				cells = append(cells, strings.Repeat("*", strings.Count(c.name, "h"))+c.words())
			}
		}
		line("row: %s", strings.Join(cells, " | "))
		depth++
	case "a":
		line("link: %s -> %s", n.words(), n.attr["href"])
	case "input":
		line("input: %s %s=%s", n.attr["type"], n.attr["name"], n.attr["value"])
	case "select":
		var list []string
		for _, o := range n.all("option") {
			mark := ""
			if _, ok := o.attr["selected"]; ok {
				mark = "*"
			}
			list = append(list, mark+o.attr["value"])
		}
		line("select: %s of %s", n.attr["name"], strings.Join(list, ", "))
	case "iframe":
		line("frame: %s -> %s", n.attr["title"], n.attr["src"])
	}
	for _, c := range n.children {
		outline(c, depth, b)
	}
}

const checkout = "/test?pkg=example.com/shop/cart&name=TestCheckout"

// The structure of each page, with what it says.
func TestPages(t *testing.T) {
	s := newFixture(t).start()
	for name, path := range map[string]string{
		"list.txt": "/", "test.txt": checkout, "subtest.txt": "/test?pkg=example.com/shop/mail&name=TestSend", "reports.txt": "/reports",
		"compare.txt":  "/compare?a=local/20261008-090000/cart.TestCheckout.html&b=shared/example.com/shop/20261001-120000/cart.TestCheckout.html",
		"filtered.txt": "/?q=CHECK+article&pkg=example.com/shop/cart&state=flaky&kind=proved&sort=name",
	} {
		w := get(s, path)
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d", path, w.Code)
		}
		var b strings.Builder
		outline(parse(t, w.Body.String()), 0, &b)
		golden.File(t, filepath.Join("testdata", "golden", name), b.String())
	}
}

// names returns the tests of a list, in order.
func names(t *testing.T, s *Server, path string) (list []string) {
	t.Helper()
	for _, a := range parse(t, get(s, path).Body.String()).all("a") {
		if strings.HasPrefix(a.attr["href"], "/test?") {
			list = append(list, a.words())
		}
	}
	return list
}

// Filters and orders, worked out by hand from the fixture's comment.
func TestList(t *testing.T) {
	s := newFixture(t).start()
	for path, want := range map[string][]string{
		"/":                           {"TestCheckout", "TestSend", "TestOnce", "TestParse", "TestDrain"},
		"/?sort=name":                 {"TestCheckout", "TestDrain", "TestOnce", "TestParse", "TestSend"},
		"/?sort=nonsense":             {"TestCheckout", "TestSend", "TestOnce", "TestParse", "TestDrain"},
		"/?state=gone":                {"TestDrain"},
		"/?state=broken":              {"TestParse"},
		"/?kind=proved":               {"TestCheckout"},
		"/?kind=async+wait":           {"TestCheckout"},
		"/?kind=none&state=flaky":     {"TestSend"},
		"/?pkg=example.com/shop/mail": {"TestSend"},
		"/?q=ARTICLE":                 {"TestCheckout"},
		"/?q=cart+jobs":               {"TestDrain"},
		"/?q=none+of+these":           nil,
		"/?page=-5":                   {"TestCheckout", "TestSend", "TestOnce", "TestParse", "TestDrain"},
		"/?page=7":                    {"TestCheckout", "TestSend", "TestOnce", "TestParse", "TestDrain"},
	} {
		if got := names(t, s, path); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if got := names(t, s, "/?sort=last")[4]; got != "TestDrain" {
		t.Errorf("failed the longest ago: %s, want TestDrain", got)
	}
}

// Each link of a page leads to another, and each page of a list follows the last.
func TestLinks(t *testing.T) {
	s := newFixture(t).start()
	seen := map[string]bool{"/": true}
	for todo := []string{"/"}; len(todo) > 0; todo = todo[1:] {
		w := get(s, todo[0])
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d", todo[0], w.Code)
			continue
		}
		if strings.HasPrefix(todo[0], stored) {
			continue // the links of reports are theirs
		}
		for _, a := range parse(t, w.Body.String()).all("a") {
			if h := a.attr["href"]; !strings.HasPrefix(h, "#") && !seen[h] {
				seen[h] = true
				todo = append(todo, h)
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d pages are linked to", len(seen))
	}
}

// Of more failures than are kept the newest stay, in whatever order they come.
func TestNewest(t *testing.T) {
	var list []failure
	for i := range 3 * keptBelow {
		list = append(list, failure{At: begin.Add(time.Duration(i*7919%(3*keptBelow)) * time.Minute)})
	}
	got := newest(list)
	if len(got) != keptBelow {
		t.Fatalf("%d are kept, want %d", len(got), keptBelow)
	}
	for i, f := range got {
		if want := begin.Add(time.Duration(3*keptBelow-1-i) * time.Minute); !f.At.Equal(want) {
			t.Fatalf("number %d is of %v, want %v", i, f.At, want)
		}
	}
}

// Runs without a known commit are shown by the day, and said to be.
func TestDays(t *testing.T) {
	f := newFixture(t)
	f.write(func(db *history.DB) {
		for day := range 3 {
			s := sessionOf(day)
			s.Key, s.Commit = fmt.Sprint("loose ", day), history.Commit{}
			for n := range 5 {
				f.add(db, s, history.Run{Key: fmt.Sprint("loose ", day, n), Package: "example.com/loose", Kind: history.Plain, Started: s.Started.Add(time.Duration(n) * time.Minute),
					Results: []history.Result{outcome("TestLoose", n == day, "loose")}})
			}
		}
	})
	page := parse(t, get(f.start(), "/test?pkg=example.com/loose&name=TestLoose").Body.String())
	if got := page.all("figcaption")[0].words(); !strings.HasPrefix(got, "A bar is the share of runs that failed on one day, as their commits are not known") {
		t.Error(got)
	}
	var rows []string
	for _, tr := range page.all("figure")[0].all("title") {
		rows = append(rows, tr.children[0].text)
	}
	if want := []string{"not of a commit, 2026-09-01: 1 of 5 runs failed", "not of a commit, 2026-09-02: 1 of 5 runs failed", "not of a commit, 2026-09-03: 1 of 5 runs failed"}; !slices.Equal(rows, want) {
		t.Errorf("%q", rows)
	}
}
