package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/fdebug/fdebug/internal/lab/browsertest"
)

// Pages of each kind, by name.
var pages = map[string]string{
	"list": "/", "none": "/?q=nothing", "test": checkout, "broken": "/test?pkg=example.com/shop/cart&name=TestParse", "reports": "/reports", "missing": "/nowhere",
	"compare": "/compare?a=local/20261008-090000/cart.TestCheckout.html&b=local/20261009-090000/cart.TestCheckout.html",
}

// An arrivals records what a server is asked, whatever it answers.
type arrivals struct {
	http.Handler
	mu   sync.Mutex
	list []string // host and address
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	a.list = append(a.list, r.Method+" "+r.Host+r.URL.String())
	a.mu.Unlock()
	a.Handler.ServeHTTP(w, r)
}

// take returns the requests that have arrived since the last time.
func (a *arrivals) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.list
	a.list = nil
	return list
}

// served starts a server, and a browser to which fixture.elsewhere is that server too.
func served(t *testing.T, change func(*fixture)) (*browsertest.Tab, string, *arrivals) {
	b := browsers.Open(t)
	a := new(arrivals)
	server := httptest.NewUnstartedServer(a)
	t.Cleanup(server.Close)
	f := newFixture(t)
	f.elsewhere = fmt.Sprint("evil.example:", server.Listener.Addr().(*net.TCPAddr).Port)
	if change != nil {
		change(f)
	}
	a.Handler = f.start()
	server.Start()
	return b, server.URL, a
}

const (
	widest = `Array.from(document.querySelectorAll("body *")).filter(function (e) { return e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, svg, .vh, thead"); }).map(function (e) { return e.tagName + "." + e.className; }).slice(0, 5).join(" ")`
	small  = `Array.from(document.querySelectorAll("main a, main button, main input, main select, nav a, header button, header input, header select")).filter(function (e) {
		var r = (e.closest("label") || e).getBoundingClientRect(); return e.checkVisibility() && !e.closest("p, .title, nav[aria-label=Breadcrumb], tbody td, .vh, .versus") && (r.height < 23.5 || r.width < 23.5);
	}).map(function (e) { return e.tagName + " " + e.textContent + " " + e.getBoundingClientRect().height; })`
	unique  = `Array.from(document.querySelectorAll("[id]")).map(function (e) { return e.id; }).filter(function (id, i, all) { return all.indexOf(id) !== i; })`
	unnamed = `Array.from(document.querySelectorAll("input, select, iframe, svg")).filter(function (e) { return !e.getAttribute("aria-label") && !e.title && !(e.labels && e.labels.length && e.labels[0].textContent.trim()); }).map(function (e) { return e.outerHTML.slice(0, 80); })`
)

// Light and dark, wide and on a phone: all text can be read, nothing is too wide or too
// small to be touched, everything has a name, and nothing but the page is asked for.
func TestLook(t *testing.T) {
	b, at, _ := served(t, nil)
	contrast, err := os.ReadFile("../../../report/testdata/contrast.js")
	if err != nil {
		t.Fatal(err)
	}
	screens := []struct {
		scheme string
		width  int64
	}{{"light", 320}, {"light", 1280}, {"dark", 390}, {"dark", 950}}
	if testing.Short() {
		screens = screens[1:3]
	}
	for name, path := range pages {
		b.Open(at + path)
		for _, screen := range screens {
			width := screen.width
			b.Look(screen.scheme, width, 900)
			if w := browsertest.Eval[int64](b, `document.documentElement.scrollWidth`); w > width {
				t.Errorf("%s is %d wide on a screen of %d: %s", name, w, width, browsertest.Eval[string](b, widest))
			}
			if *shots != "" {
				b.Shot(filepath.Join(*shots, fmt.Sprint(name, "-", screen.scheme, "-", width, ".png")), true)
			}
		}
		browsertest.Eval[int](b, `(function () { var d = document.querySelectorAll("details"); d.forEach(function (d) { d.open = true; }); return d.length; })()`)
		for _, screen := range screens {
			width := screen.width
			b.Look(screen.scheme, width, 900)
			for _, bad := range browsertest.Eval[[]string](b, string(contrast)) {
				if !strings.HasPrefix(bad, "only ") { // of short pages
					t.Errorf("%s, %s, %d: %s", name, screen.scheme, width, bad)
				}
			}
			for _, bad := range slices.Concat(browsertest.Eval[[]string](b, small), browsertest.Eval[[]string](b, unique), browsertest.Eval[[]string](b, unnamed)) {
				t.Errorf("%s, %d: %s", name, width, bad)
			}
		}
	}
	if r := b.Requests(); len(r) > 0 {
		t.Errorf("asked for %q", r)
	}
}

// On paper there is what can be read, and nothing to press.
func TestPrint(t *testing.T) {
	b, at, _ := served(t, nil)
	browsertest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	for _, path := range pages {
		b.Open(at + path)
		if n := browsertest.Eval[int](b, `Array.from(document.querySelectorAll("button, input, select, .site, iframe")).filter(function (e) { return e.checkVisibility(); }).length`); n > 0 {
			t.Errorf("%s: %d things to press", path, n)
		}
	}
	b.Open(at + checkout)
	if !browsertest.Eval[bool](b, `document.querySelector(".chart svg").checkVisibility() && document.body.innerText.includes("21 of 161 runs failed")`) {
		t.Error("the page of a test lacks its chart or its first sentence")
	}
}

// With the keyboard alone, and without script: the first stop leads past what is on
// every page, the form filters, a link opens a test, two reports are chosen and shown.
func TestKeyboard(t *testing.T) {
	b, at, _ := served(t, nil)
	b.Look("light", 1280, 900)
	b.Open(at + "/")
	b.Key("\t")
	if got := browsertest.Eval[string](b, `document.activeElement.textContent`); got != "Skip to the content" {
		t.Errorf("the first stop is %q", got)
	}
	if got := browsertest.Eval[string](b, `getComputedStyle(document.activeElement).outlineStyle`); got != "solid" {
		t.Errorf("the focus is shown by an outline that is %s", got)
	}
	b.Key("\r")
	b.Until("the page has followed", `location.hash === "#main"`)
	b.Open(at + "/")
	focus := func(what string) {
		t.Helper()
		for range 60 {
			b.Key("\t")
			if browsertest.Eval[bool](b, `document.activeElement.matches(`+"`"+what+"`"+`)`) {
				return
			}
		}
		t.Fatalf("%s has no stop", what)
	}
	focus(`[name=q]`)
	for _, k := range "checkout" {
		b.Key(string(k))
	}
	b.Key("\r")
	b.Until("the list is filtered", `location.search.includes("q=checkout") && document.readyState === "complete"`)
	focus(`.ranking tbody a`)
	b.Key("\r")
	b.Until("the test is open", `location.pathname === "/test" && document.readyState === "complete"`)
	focus(`[name=a]`)
	focus(`form[action="/compare"] button`)
	b.Key("\r")
	b.Until("two reports are shown", `location.pathname === "/compare" && document.querySelectorAll("iframe").length === 2`)
	if got := browsertest.Eval[string](b, `new URLSearchParams(location.search).get("b")`); got != "local/20261009-090000/cart.TestCheckout.html" {
		t.Errorf("B is %s, want the newest", got)
	}
}

func TestWithoutScript(t *testing.T) {
	b, at, _ := served(t, nil)
	browsertest.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.Open(at + "/")
	b.Do(chromedp.Click(`[name=state]`))
	b.Do(chromedp.KeyEvent("g"), chromedp.KeyEvent("\r"))
	b.Do(chromedp.Click(`form.filter button`))
	b.Until("the list is filtered", `location.search.includes("state=gone") && document.readyState === "complete"`)
	if got := browsertest.Eval[string](b, `document.querySelector(".ranking tbody a").textContent`); got != "TestDrain" {
		t.Errorf("gone is %s", got)
	}
}

// A report of ours works in its sandbox: its script runs, and it has an origin of its own.
func TestSandbox(t *testing.T) {
	b, at, _ := served(t, nil)
	b.Open(at + "/report/local/20261008-090000/cart.TestCheckout.html")
	if !browsertest.Eval[bool](b, `document.querySelector("[data-do=help]").checkVisibility()`) {
		t.Error("the script of the report did not run")
	}
	if got := browsertest.Eval[string](b, `self.origin`); got != "null" {
		t.Errorf("the report's origin is %s", got)
	}
	b.Key("?")
	b.Until("the help is open", `document.getElementById("help").open`)
	b.Do(chromedp.Click("#help button"))
	b.Until("the help is closed", `!document.getElementById("help").open`)
	b.Do(chromedp.Click(`nav a`))
	b.Until("the index is open", `location.pathname.endsWith("/index.html") && document.readyState === "complete"`)
	b.Quiet()
}

// A report that is none: nothing of it runs, nothing is loaded, nothing is read or sent,
// by itself or in a comparison.
func TestHostileReport(t *testing.T) {
	b, at, a := served(t, (*fixture).makeHostile)
	host := strings.TrimPrefix(at, "http://")
	check := func(where string, want ...string) {
		t.Helper()
		if got := browsertest.Eval[string](b, `document.title`); got == "ran" {
			t.Errorf("%s: its script ran", where)
		}
		if got := browsertest.Eval[string](b, `String(window.__pwned)`); got != "undefined" {
			t.Errorf("%s: code number %s ran", where, got)
		}
		got := a.take()
		got = slices.DeleteFunc(got, func(r string) bool { return r == "GET "+host+"/favicon.ico" })
		for i := range want {
			want[i] = "GET " + host + want[i]
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: it asked for %q, want %q", where, got, want)
		}
	}
	const evilPage = "/report/local/20261010-100000/evil.html"
	b.Open(at + evilPage)
	check("the page", evilPage)
	if got := browsertest.Eval[string](b, `(function () { try { return document.cookie + "read"; } catch (e) { return e.name; } })()`); got != "SecurityError" {
		t.Errorf("the cookie: %s", got)
	}
	for _, click := range []string{"#send", "#js"} {
		b.Do(chromedp.Click(click))
		if got := browsertest.Eval[string](b, `location.pathname`); got != evilPage {
			t.Errorf("%s led to %s", click, got)
		}
		check(click)
	}
	b.Leave()
	b.Open(at + "/report/local/20261010-100000/evil.md")
	check("the Markdown", "/report/local/20261010-100000/evil.md")
	if n := browsertest.Eval[int](b, `document.querySelectorAll("h1, script, img").length`); n > 0 {
		t.Error("the Markdown is taken for a page")
	}
	const two = "/compare?a=local/20261010-100000/evil.html&b=local/20261008-090000/cart.TestCheckout.html"
	b.Open(at + two)
	b.Until("both frames are there", `document.readyState === "complete"`)
	if got := browsertest.Eval[string](b, `(function () { try { return frames[0].document.title + "read"; } catch (e) { return e.name; } })()`); got != "SecurityError" {
		t.Errorf("the frame and the page can read each other: %s", got)
	}
	check("a comparison", two, evilPage, "/report/local/20261008-090000/cart.TestCheckout.html")
	hostile := "/test?" + url.Values{"pkg": {"example.com/" + strings.ToValidUTF8(evil, "\uFFFD")}, "name": {"TestEvil/" + strings.ToValidUTF8(evil, "\uFFFD")}}.Encode()
	b.Open(at + hostile)
	browsertest.Eval[int](b, `(function () { document.querySelectorAll("*").forEach(function (e) { ["mouseover", "focus", "error", "load"].forEach(function (x) { e.dispatchEvent(new Event(x)); }); }); return 0; })()`)
	if !browsertest.Eval[bool](b, `document.querySelector("h1").textContent.startsWith("TestEvil")`) {
		t.Error("the page of the hostile test is not shown")
	}
	check("hostile names", hostile)

	// Without the policy the same report does what it tries: the above is no matter of
	// this browser.
	a.Handler.(*Server).reportPolicy = "script-src *"
	b.Open(at + evilPage)
	b.Until("the report has asked for pictures", `document.readyState === "complete"`)
	if got := a.take(); !slices.ContainsFunc(got, func(r string) bool {
		return strings.HasPrefix(r, "GET evil.example:") && strings.HasSuffix(r, "/?image")
	}) {
		t.Errorf("without a policy it asked for %q", got)
	}
}

// With a token: the address no longer has it, links work from within the sandbox of a
// report, and a page of another origin sees nothing.
func TestTokenInBrowser(t *testing.T) {
	b, at, _ := served(t, func(f *fixture) { f.options.Token = secret })
	b.Open(at + "/")
	if got := browsertest.Eval[string](b, `document.querySelector("h1").textContent`); got != "A token is needed" {
		t.Fatalf("without a token: %s", got)
	}
	b.Do(chromedp.Click(`[name=token]`))
	for _, k := range secret {
		b.Key(string(k))
	}
	b.Key("\r")
	b.Until("the list is shown", `document.querySelectorAll(".ranking tbody tr").length === 5`)
	if got := browsertest.Eval[string](b, `location.href + document.cookie`); got != at+"/" {
		t.Errorf("the address is %s", got)
	}
	b.Open(at + "/report/local/20261008-090000/cart.TestCheckout.html")
	b.Do(chromedp.Click(`nav a`))
	b.Until("the index is shown, though the browser kept its cookie to itself at first", `location.pathname.endsWith("/index.html") && document.querySelector("h1").textContent.includes("flaky test")`)
	b.Do(chromedp.Click(`.test h3 a`))
	b.Until("the page is shown again", `location.pathname.endsWith("/cart.TestCheckout.html") && document.querySelector("h1").textContent.includes("TestCheckout")`)
	b.Open(at + pages["compare"])
	b.Until("two reports are shown", `frames.length === 2 && document.readyState === "complete"`)
	for _, m := range b.Console() {
		if !strings.Contains(m, "401") && !strings.HasPrefix(m, "[DOM]") { // what is asked again, and advice on forms
			t.Errorf("console: %s", m)
		}
	}
}

// A name of somebody else's that leads to this machine is not answered.
func TestRebinding(t *testing.T) {
	b, at, _ := served(t, nil)
	b.Open(strings.Replace(at, "127.0.0.1", "evil.example", 1))
	if got := browsertest.Eval[string](b, `document.body.textContent`); strings.TrimSpace(got) != "This server answers for localhost only." {
		t.Errorf("it answered %.100s", got)
	}
}
