package serve

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

const secret = "a token of some length"

// Which host a request names: the answer does not depend on what there is.
func TestHost(t *testing.T) {
	s := newFixture(t).start()
	for host, want := range map[string]int{
		"localhost": 200, "localhost:6070": 200, "LOCALHOST:1": 200, "127.0.0.1:6070": 200, "127.8.8.8": 200, "[::1]:6070": 200, "[::1]": 200,
		"evil.example:6070": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "192.168.1.5:6070": 421, "0.0.0.0": 421, "localhost:6070@evil": 421, "[::2]": 421,
	} {
		for _, path := range []string{"/", "/nowhere", "/report/local/20261008-090000/index.html"} {
			w := get(s, path, "Host", host)
			if path == "/nowhere" && want == 200 {
				continue
			}
			if w.Code != want {
				t.Errorf("%s%s: status %d, want %d", host, path, w.Code, want)
			}
			if want == 421 && strings.Contains(w.Body.String(), "TestCheckout") {
				t.Errorf("%s%s tells a test", host, path)
			}
		}
	}
	s.Loopback, s.Token = false, secret
	if w := get(s, "/", "Host", "ci.example.com", "Authorization", "Bearer "+secret); w.Code != 200 {
		t.Errorf("of all machines: status %d", w.Code)
	}
}

func TestMethods(t *testing.T) {
	s := newFixture(t).start()
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "PUT": 405, "DELETE": 405, "PATCH": 405, "OPTIONS": 405, "TRACE": 405} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(method, "http://localhost/", strings.NewReader("x")))
		if w.Code != want {
			t.Errorf("%s: status %d, want %d", method, w.Code, want)
		}
	}
}

// Without the token there is one answer, whatever is asked for.
func TestToken(t *testing.T) {
	f := newFixture(t)
	f.options.Token = secret
	s := f.start()
	cookie := cookieName + "=" + s.cookie()
	for _, c := range []struct {
		name, path string
		headers    []string
		want       int
	}{
		{"nothing", "/", nil, 401},
		{"nothing, a test", checkout, nil, 401},
		{"nothing, a report", "/report/local/20261008-090000/index.html", nil, 401},
		{"nothing, no such page", "/nowhere", nil, 401},
		{"wrong header", "/", []string{"Authorization", "Bearer another token of some length"}, 401},
		{"part of it", "/", []string{"Authorization", "Bearer " + secret[:10]}, 401},
		{"more than it", "/", []string{"Authorization", "Bearer " + secret + "x"}, 401},
		{"another scheme", "/", []string{"Authorization", "Basic " + secret}, 401},
		{"the token as cookie", "/", []string{"Cookie", cookieName + "=" + secret}, 401},
		{"wrong cookie", "/", []string{"Cookie", cookieName + "=0123"}, 401},
		{"wrong header beside the cookie", "/", []string{"Cookie", cookie, "Authorization", "Bearer x"}, 401},
		{"wrong parameter", "/?token=x", nil, 401},
		{"empty parameter", "/?token=", []string{"Cookie", cookie}, 401},
		{"wrong parameter beside the cookie", "/?token=x", []string{"Cookie", cookie}, 401},
		{"header", "/", []string{"Authorization", "Bearer " + secret}, 200},
		{"small letters", "/", []string{"Authorization", "bearer " + secret}, 200},
		{"cookie", checkout, []string{"Cookie", cookie}, 200},
		{"cookie, no such page", "/nowhere", []string{"Cookie", cookie}, 404},
	} {
		w := get(s, c.path, c.headers...)
		if w.Code != c.want {
			t.Errorf("%s: status %d, want %d", c.name, w.Code, c.want)
		}
		if body := w.Body.String(); w.Code == 401 && (strings.Contains(body, "TestCheckout") || strings.Contains(body, secret) || w.Header().Get("WWW-Authenticate") == "") {
			t.Errorf("%s: the answer tells too much, or not what is wanted", c.name)
		}
		if w.Code == 401 && len(w.Result().Cookies()) > 0 {
			t.Errorf("%s: a cookie without the token", c.name)
		}
	}
	same := get(s, "/").Body.String()
	for _, path := range []string{"/nowhere", "/report/local/20261008-090000/index.html", "/report/local/none/index.html"} {
		if get(s, path).Body.String() != same {
			t.Errorf("%s: without a token the answer is another one", path)
		}
	}
}

// The first visit gets a cookie for the token, and an address without it.
func TestFirstVisit(t *testing.T) {
	f := newFixture(t)
	f.options.Token = secret
	s := f.start()
	w := get(s, "/?q=x&token="+url.QueryEscape(secret))
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/?q=x" {
		t.Fatalf("status %d to %q", w.Code, w.Header().Get("Location"))
	}
	c := w.Result().Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || strings.Contains(c.Value, secret) {
		t.Errorf("cookie %v", c)
	}
	if w := get(s, "/?q=x", "Cookie", c.Name+"="+c.Value); w.Code != 200 {
		t.Errorf("with it: status %d", w.Code)
	}
	if w := get(s, "/?token="+url.QueryEscape(secret), "X-Forwarded-Proto", "https"); !w.Result().Cookies()[0].Secure {
		t.Error("behind TLS the cookie is not for TLS alone")
	}
	// Nobody is sent elsewhere.
	for _, path := range []string{"//evil.example/", "/\\evil.example/", "/%2f/evil.example/", "/%5cevil.example/"} {
		if w := get(s, path+"?token="+url.QueryEscape(secret)); w.Code != http.StatusNotFound || w.Header().Get("Location") != "" {
			t.Errorf("%s: status %d to %q", path, w.Code, w.Header().Get("Location"))
		}
	}
}

// A browser that comes from elsewhere is told to ask once more, once.
func TestAgain(t *testing.T) {
	f := newFixture(t)
	f.options.Token = secret
	s := f.start()
	refresh := func(path string, headers ...string) string {
		for _, m := range parse(t, get(s, path, headers...).Body.String()).all("meta") {
			if m.attr["http-equiv"] == "refresh" {
				return m.attr["content"]
			}
		}
		return ""
	}
	for path, want := range map[string]string{"/x.html?a=b": "0; url=/x.html?a=b&again=1", "/x.html?again=1": "", "/?token=wrong": ""} {
		if got := refresh(path, "Sec-Fetch-Site", "cross-site"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if got := refresh(path, "Sec-Fetch-Site", "same-origin"); got != "" {
			t.Errorf("%s from here: %q", path, got)
		}
	}
}

// Every answer has the headers; a report has a policy of its own.
func TestHeaders(t *testing.T) {
	s := newFixture(t).start()
	for path, report := range map[string]bool{
		"/": false, checkout: false, "/nowhere": false, "/report/local/none/index.html": false,
		"/report/local/20261008-090000/index.html": true, "/report/local/20261008-090000/cart.TestCheckout.md": true, "/report/local/20261008-090000/result.json": true,
	} {
		h := get(s, path).Header()
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		policy := h.Get("Content-Security-Policy")
		has := func(directive string) bool { return strings.Contains(policy, directive) }
		if !has("default-src 'none'") || !has("frame-ancestors") || !has("base-uri 'none'") || has("unsafe-eval") || has("allow-same-origin") {
			t.Errorf("%s: policy %s", path, policy)
		}
		if has("script-src 'sha256-") != report || has("sandbox allow-scripts allow-forms") != report || report != has("form-action 'none'") {
			t.Errorf("%s: policy %s", path, policy)
		}
		if kind := h.Get("Content-Type"); report && strings.HasSuffix(path, ".html") != strings.HasPrefix(kind, "text/html") {
			t.Errorf("%s is %s", path, kind)
		}
	}
}

// Nothing but pages of reports is served, by whatever name it is asked for.
func TestTraversal(t *testing.T) {
	f := newFixture(t)
	dir := filepath.Join(f.options.Local, "20261008-090000")
	const inside = "the secret in the directory"
	for _, name := range []string{"runs.jsonl", "sites.json", ".hidden.html", "src/x.go.txt", "traces/1.html", "page.svg", "page.html.zst"} {
		put(t, filepath.Join(dir, filepath.FromSlash(name)), inside)
	}
	put(t, filepath.Join(f.options.Local, "20261008-090001", "index.html"), inside) // without a result.json
	put(t, filepath.Join(f.options.Local, "..", "outside.html"), inside)
	put(t, filepath.Join(f.options.Local, "..", "away", "result.json"), `{"schema": "fdebug/v1"}`)
	put(t, filepath.Join(f.options.Local, "..", "away", "index.html"), inside)
	if runtime.GOOS != "windows" {
		for name, target := range map[string]string{
			"outside.html": "../../outside.html", "absolute.html": filepath.Join(f.options.Local, "..", "outside.html"), "inside.html": "runs.jsonl", "etc.html": "/etc/passwd",
			"up": "../..", "../away": "../away", "../latest": "20261008-090000",
		} {
			if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := f.start()
	const here = "/report/local/20261008-090000/"
	for _, path := range []string{
		here + "runs.jsonl", here + "sites.json", here + ".hidden.html", here + "src/x.go.txt", here + "traces/1.html", here + "page.svg", here + "page.html.zst",
		here + "outside.html", here + "absolute.html", here + "inside.html", here + "etc.html", here + "up/outside.html", here + "nothing.html",
		here, "/report/local/20261008-090000", "/report/local/", "/report/", "/report/local/20261008-090001/index.html", "/report/local/away/index.html",
		"/report/local/latest/index.html", "/report/elsewhere/20261008-090000/index.html", "/report/index.html",
		"/report/local/../outside.html", "/report/local/%2e%2e/outside.html", "/report/local/..%2foutside.html", "/report/local/%2e%2e%2foutside.html", "/report/local/..%5coutside.html",
		here + "../../outside.html", here + "..%2f..%2foutside.html", here + "%2e%2e/%2e%2e/outside.html", here + "..;/outside.html", here + "....//outside.html",
		"/report/local/%252e%252e/outside.html", "/report//local/20261008-090000/index.html", "/report/local//etc/passwd", "/report/local/%00/index.html", here + "index.html%00.md",
		"/report/local/20261008-090000%2findex.html/", "/report/LOCAL/20261008-090000/index.html", "/../outside.html", "/%2e%2e/%2e%2e/etc/passwd", "/report/shared/../local/20261008-090000/index.html",
		"/compare?a=local/../away/index.html&b=local/../away/index.html", "/compare?a=local/20261008-090000/runs.jsonl&b=local/20261008-090000/cart.TestCheckout.html",
	} {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			continue // net/http refuses it
		}
		r := httptest.NewRequest("GET", "http://localhost/", nil)
		r.URL = u
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404", path, w.Code)
		}
		if strings.Contains(w.Body.String(), inside) || strings.Contains(w.Body.String(), "root:") {
			t.Errorf("%s is told", path)
		}
	}
	if w := get(s, here+"index.html"); w.Code != 200 {
		t.Errorf("the report itself: status %d", w.Code)
	}
	for _, x := range s.current.Load().reports.list {
		if strings.Contains(x.Where, "away") || strings.Contains(x.Where, "latest") {
			t.Errorf("%s is listed", x.Where)
		}
	}
}

// A pipe in the place of a page is not waited for.
func TestPipe(t *testing.T) {
	f := newFixture(t)
	dir := filepath.Join(f.options.Local, "20261008-090000")
	if err := pipe(filepath.Join(dir, "pipe.html")); err != nil {
		t.Skip(err)
	}
	s := f.start()
	if w := get(s, "/report/local/20261008-090000/pipe.html"); w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
}

// The listener says who reaches it.
func TestListen(t *testing.T) {
	for addr, want := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, ":0": false, "0.0.0.0:0": false} {
		ln, loopback, err := Listen(context.Background(), addr)
		if err != nil {
			t.Fatal(err)
		}
		if loopback != want {
			t.Errorf("%s: only this machine: %v, want %v", addr, loopback, want)
		}
		ln.Close()
	}
	if _, _, err := Listen(context.Background(), "localhost:nonsense"); err == nil {
		t.Error("no error for a port that is none")
	}
}

// A server ends when it is told to, and what is under way ends before.
func TestServe(t *testing.T) {
	s := newFixture(t).start()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, ln) }()
	res, err := http.Get("http://" + ln.Addr().String() + "/")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := http.Get("http://" + ln.Addr().String() + "/"); err == nil {
		t.Error("it still answers")
	}
}

// What was read stays while the history can't be read, with a word, and is read anew.
func TestTrouble(t *testing.T) {
	f := newFixture(t)
	s := f.start()
	aside := f.file + ".aside"
	if err := os.Rename(f.file, aside); err != nil {
		t.Fatal(err)
	}
	s.db.Close() // as a server that went away
	s.refresh(context.Background())
	s.refresh(context.Background())
	if body := get(s, "/").Body.String(); !strings.Contains(body, "can&#39;t be read at the moment") || !strings.Contains(body, "TestCheckout") {
		t.Error("the page has not what was known, or does not say that it is old")
	}
	if err := os.Rename(aside, f.file); err != nil {
		t.Fatal(err)
	}
	s.refresh(context.Background())
	if body := get(s, "/").Body.String(); strings.Contains(body, "at the moment") {
		t.Error("the page says that it is old")
	}
}

// What is added is seen, and nothing is read again if nothing was.
func TestRefresh(t *testing.T) {
	f := newFixture(t)
	s := f.start()
	before := s.current.Load()
	s.refresh(context.Background())
	if s.current.Load().tally != before.tally {
		t.Error("the history was read again, and had not changed")
	}
	f.write(func(db *history.DB) {
		run := history.Run{Key: "new", Package: "example.com/shop/new", Kind: history.Plain, Started: now, Results: []history.Result{outcome("TestNew", true, "new")}}
		f.add(db, sessionOf(39), run)
	})
	f.report(f.options.Local, "20261010-110000", 1, 10)
	s.refresh(context.Background())
	if got := names(t, s, "/?q=TestNew"); len(got) != 1 {
		t.Errorf("added: %v", got)
	}
	if w := get(s, "/report/local/20261010-110000/index.html"); w.Code != 200 {
		t.Errorf("the new report: status %d", w.Code)
	}
}
