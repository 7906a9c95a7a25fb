package serve

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// evil is text that would run, load or hide something where it is not escaped.
const evil = `</script></style></title><script>window.__pwned=1</script><img src=x onerror="window.__pwned=2">` +
	`"'onmouseover=window.__pwned=3 javascript:window.__pwned=4 {{.}} <svg onload=window.__pwned=5>` +
	"\u202egnp.exe\x1b]0;title\x07\x1b[31mred\x1b[0m\xff <!-- ]]> & @someone"

// makeHostile adds a test whose every text is hostile, and reports like that.
func (f *fixture) makeHostile() {
	f.write(func(db *history.DB) {
		s := sessionOf(39)
		s.Key, s.Commit.Hash, s.Branch, s.Job = "evil", evil, evil, evil
		var runs []history.Run
		for i := range 6 {
			name := "TestEvil/" + evil
			runs = append(runs, history.Run{Key: fmt.Sprint("evil ", i), Package: "example.com/" + evil, Kind: history.Plain, Started: now,
				Results: []history.Result{outcome(name, i%2 == 0, evil)}, Notes: []history.Note{{Test: name, Key: evil, Value: evil}}})
		}
		f.add(db, s, runs...)
	})
	dir := f.options.Local + "/20261010-100000"
	put(f.t, dir+"/result.json", `{"schema": "fdebug/v1", "module": "<script>window.__pwned=6</script>", "started": "x", "command": ["</code><script>window.__pwned=7</script>"],
		"tests": [{"package": "example.com/shop/cart", "test": "TestCheckout", "runs": 5, "failed": 5, "report": "evil.html",
		"failures": [{"signature": "", "message": "<img src=x onerror=window.__pwned=8>", "runs": []}],
		"suspects": [{"file": "\"><script>window.__pwned=9</script>", "start": 1, "end": 1}]},
		{"package": "p", "test": "T", "runs": 1, "report": "javascript:alert(1)"}, {"package": "p", "test": "T", "runs": 1, "report": ".."}]}`)
	hostile := strings.ReplaceAll(hostileReport, "evil.example", f.elsewhere)
	put(f.t, dir+"/evil.html", hostile)
	put(f.t, dir+"/index.html", hostile)
	put(f.t, dir+"/evil.md", hostile)
	put(f.t, f.options.Local+"/20261010-100001/result.json", strings.Repeat("[", 1<<20))
	put(f.t, f.options.Local+"/20261010-100002/result.json", "")
	put(f.t, f.options.Local+"/20261010-100003/result.json", `{"schema": "fdebug/v99"}`)
}

// hostileReport tries what a page of a report might.
const hostileReport = `<!DOCTYPE html><html><head><title>evil</title><base href="http://evil.example/">
<link rel="stylesheet" href="/"><link rel="prefetch" href="http://evil.example/prefetch">
<style>@import url(http://evil.example/import.css); body { background: url(/?css) }</style>
<script>document.title = "ran"; window.__pwned = 1</script>
<script src="/report/local/20261010-100000/evil.md"></script><script type="module">document.title = "ran"</script></head>
<body onload="document.title='ran'"><h1>A report</h1><img src="/?image"><img src="x" onerror="document.title='ran'"><svg onload="document.title='ran'"></svg>
<iframe src="/"></iframe><iframe srcdoc="<script>top.document.title='ran'</script>"></iframe><object data="/"></object><embed src="/">
<form action="/" method="post" id="f"><input name="x"><button id="send">Send</button></form>
<a id="js" href="javascript:document.title='ran'">js</a> <a id="top" href="/" target="_top">top</a> <a id="popup" href="/" target="_blank">popup</a>
<video src="/?video"></video><audio src="/?audio"></audio></body></html>`

// Pages have no element that they would not have anyway, whatever tests are called.
func TestHostileNames(t *testing.T) {
	f := newFixture(t)
	f.makeHostile()
	s := f.start()
	test := ""
	for _, x := range s.current.Load().rows {
		if strings.HasPrefix(x.Name, "TestEvil") {
			test = x.Link()
		}
	}
	for _, path := range []string{"/", "/?q=" + url.QueryEscape(evil) + "&sort=" + url.QueryEscape(evil) + "&page=" + url.QueryEscape(evil), test, checkout, "/reports", "/reports?module=" + url.QueryEscape(evil),
		"/compare?a=local/20261010-100000/evil.html&b=local/20261008-090000/cart.TestCheckout.html", "/test?pkg=" + url.QueryEscape(evil), "/compare?a=" + url.QueryEscape(evil)} {
		w := get(s, path)
		body := w.Body.String()
		page := parse(t, body)
		for _, name := range []string{"script", "img", "object", "embed", "base", "link"} {
			if n := len(page.all(name)); n > 0 {
				t.Errorf("%.40s: %d elements %s", path, n, name)
			}
		}
		page.each(func(n *node) {
			for a, v := range n.attr {
				if strings.HasPrefix(a, "on") || a == "style" || a == "srcdoc" {
					t.Errorf("%.40s: %s has %s=%.60q", path, n.name, a, v)
				}
				if (a == "href" || a == "src" || a == "action") && !strings.HasPrefix(v, "/") && !strings.HasPrefix(v, "#") {
					t.Errorf("%.40s: %s leads to %.60q", path, n.name, v)
				}
			}
		})
		if strings.ContainsAny(body, "\x1b\x07\x00") || strings.Contains(page.words(), "\u202e") {
			t.Errorf("%.40s: control characters are left", path)
		}
	}
	if w := get(s, test); w.Code != http.StatusOK {
		t.Errorf("the page of the hostile test: status %d", w.Code)
	}
	for _, x := range s.current.Load().reports.list {
		if x.Run == "20261010-100001" && x.Broken == "" || x.Run == "20261010-100000" && len(x.Tests) != 1 {
			t.Errorf("%s: %d tests, %q", x.Where, len(x.Tests), x.Broken)
		}
	}
}

func (n *node) each(do func(*node)) {
	do(n)
	for _, c := range n.children {
		c.each(do)
	}
}

// 200 requests at once, while what is shown changes, all have whole answers.
func TestCrowd(t *testing.T) {
	f := newFixture(t)
	s := f.start()
	server := httptest.NewServer(s)
	defer server.Close()
	client := server.Client()
	client.Transport.(*http.Transport).MaxConnsPerHost = 0
	paths := []string{"/", checkout, "/reports", "/?sort=rate", "/report/local/20261008-090000/index.html", "/test?pkg=example.com/shop/mail&name=TestSend"}
	var wg sync.WaitGroup
	errs := make(chan error, 200)
	for i := range 200 {
		wg.Go(func() {
			res, err := client.Get(server.URL + paths[i%len(paths)])
			if err == nil {
				defer res.Body.Close()
				var n int64
				if n, err = io.Copy(io.Discard, res.Body); err == nil && (res.StatusCode != 200 || n != res.ContentLength) {
					err = fmt.Errorf("%s: status %d, %d of %d bytes", paths[i%len(paths)], res.StatusCode, n, res.ContentLength)
				}
			}
			if err != nil {
				errs <- err
			}
		})
	}
	for i := range 3 {
		f.write(func(db *history.DB) {
			f.add(db, sessionOf(39), history.Run{Key: fmt.Sprint("crowd ", i), Package: "example.com/shop/mail", Kind: history.Plain, Started: now,
				Results: []history.Result{outcome("TestSend", false, "")}})
		})
		s.refresh(t.Context())
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}
