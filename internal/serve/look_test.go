package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
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

// take returns what has arrived since the last time.
func (a *arrivals) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.list
	a.list = nil
	return list
}

// served starts a server, and a browser to which evil.example is that server too.
func served(t *testing.T, change func(*fixture)) (*browser, string, *arrivals) {
	f := newFixture(t)
	if change != nil {
		change(f)
	}
	a := &arrivals{Handler: f.start()}
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	at := strings.TrimPrefix(server.URL, "http://")
	return newBrowser(t, chromedp.Flag("host-resolver-rules", "MAP evil.example "+at)), server.URL, a
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
	contrast, err := os.ReadFile("../../report/testdata/contrast.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range pages {
		for _, screen := range []struct {
			scheme string
			width  int64
		}{{"light", 320}, {"light", 1280}, {"dark", 390}, {"dark", 950}} {
			width := screen.width
			b.look(screen.scheme, width, 900)
			b.open(at + path)
			if w := eval[int64](b, `document.documentElement.scrollWidth`); w > width {
				t.Errorf("%s is %d wide on a screen of %d: %s", name, w, width, eval[string](b, widest))
			}
			if *shots != "" {
				b.shot(fmt.Sprint(name, "-", screen.scheme, "-", width))
			}
			eval[int](b, `(function () { var d = document.querySelectorAll("details"); d.forEach(function (d) { d.open = true; }); return d.length; })()`)
			for _, bad := range eval[[]string](b, string(contrast)) {
				if !strings.HasPrefix(bad, "only ") { // of short pages
					t.Errorf("%s, %s, %d: %s", name, screen.scheme, width, bad)
				}
			}
			for _, bad := range slices.Concat(eval[[]string](b, small), eval[[]string](b, unique), eval[[]string](b, unnamed)) {
				t.Errorf("%s, %d: %s", name, width, bad)
			}
		}
	}
	if r := b.asked(); len(r) > 0 {
		t.Errorf("asked for %q", r)
	}
}

// On paper there is what can be read, and nothing to press.
func TestPrint(t *testing.T) {
	b, at, _ := served(t, nil)
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	for _, path := range pages {
		b.open(at + path)
		if n := eval[int](b, `Array.from(document.querySelectorAll("button, input, select, .site, iframe")).filter(function (e) { return e.checkVisibility(); }).length`); n > 0 {
			t.Errorf("%s: %d things to press", path, n)
		}
	}
	b.open(at + checkout)
	if !eval[bool](b, `document.querySelector(".chart svg").checkVisibility() && document.body.innerText.includes("21 of 161 runs failed")`) {
		t.Error("the page of a test lacks its chart or its first sentence")
	}
}

// With the keyboard alone, and without script: the first stop leads past what is on
// every page, the form filters, a link opens a test, two reports are chosen and shown.
func TestKeyboard(t *testing.T) {
	b, at, _ := served(t, nil)
	b.look("light", 1280, 900)
	b.open(at + "/")
	b.key("\t")
	if got := eval[string](b, `document.activeElement.textContent`); got != "Skip to the content" {
		t.Errorf("the first stop is %q", got)
	}
	if got := eval[string](b, `getComputedStyle(document.activeElement).outlineStyle`); got != "solid" {
		t.Errorf("the focus is shown by an outline that is %s", got)
	}
	b.key("\r")
	b.until("the page has followed", `location.hash === "#main"`)
	b.open(at + "/")
	focus := func(what string) {
		t.Helper()
		for range 60 {
			b.key("\t")
			if eval[bool](b, `document.activeElement.matches(`+"`"+what+"`"+`)`) {
				return
			}
		}
		t.Fatalf("%s has no stop", what)
	}
	focus(`[name=q]`)
	for _, k := range "checkout" {
		b.key(string(k))
	}
	b.key("\r")
	b.until("the list is filtered", `location.search.includes("q=checkout") && document.readyState === "complete"`)
	focus(`.ranking tbody a`)
	b.key("\r")
	b.until("the test is open", `location.pathname === "/test" && document.readyState === "complete"`)
	focus(`[name=a]`)
	focus(`form[action="/compare"] button`)
	b.key("\r")
	b.until("two reports are shown", `location.pathname === "/compare" && document.querySelectorAll("iframe").length === 2`)
	if got := eval[string](b, `new URLSearchParams(location.search).get("b")`); got != "local/20261009-090000/cart.TestCheckout.html" {
		t.Errorf("B is %s, want the newest", got)
	}
}

func TestWithoutScript(t *testing.T) {
	b, at, _ := served(t, nil)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.open(at + "/")
	b.do(chromedp.Click(`[name=state]`))
	b.do(chromedp.KeyEvent("g"), chromedp.KeyEvent("\r"))
	b.do(chromedp.Click(`form.filter button`))
	b.until("the list is filtered", `location.search.includes("state=gone") && document.readyState === "complete"`)
	if got := eval[string](b, `document.querySelector(".ranking tbody a").textContent`); got != "TestDrain" {
		t.Errorf("gone is %s", got)
	}
}

// A report of ours works in its sandbox: its script runs, and it has an origin of its own.
func TestSandbox(t *testing.T) {
	b, at, _ := served(t, nil)
	b.open(at + "/report/local/20261008-090000/cart.TestCheckout.html")
	if !eval[bool](b, `document.querySelector("[data-do=help]").checkVisibility()`) {
		t.Error("the script of the report did not run")
	}
	if got := eval[string](b, `self.origin`); got != "null" {
		t.Errorf("the report's origin is %s", got)
	}
	b.key("?")
	b.until("the help is open", `document.getElementById("help").open`)
	b.do(chromedp.Click("#help button"))
	b.until("the help is closed", `!document.getElementById("help").open`)
	b.do(chromedp.Click(`nav a`))
	b.until("the index is open", `location.pathname.endsWith("/index.html") && document.readyState === "complete"`)
	b.quiet()
}

// A report that is none: nothing of it runs, nothing is loaded, nothing is read or sent,
// by itself or in a comparison.
func TestHostileReport(t *testing.T) {
	b, at, a := served(t, (*fixture).makeHostile)
	host := strings.TrimPrefix(at, "http://")
	check := func(where string, want ...string) {
		t.Helper()
		if got := eval[string](b, `document.title`); got == "ran" {
			t.Errorf("%s: its script ran", where)
		}
		if got := eval[string](b, `String(window.__pwned)`); got != "undefined" {
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
	b.open(at + evilPage)
	check("the page", evilPage)
	if got := eval[string](b, `(function () { try { return document.cookie + "read"; } catch (e) { return e.name; } })()`); got != "SecurityError" {
		t.Errorf("the cookie: %s", got)
	}
	for _, click := range []string{"#send", "#js"} {
		b.do(chromedp.Click(click))
		if got := eval[string](b, `location.pathname`); got != evilPage {
			t.Errorf("%s led to %s", click, got)
		}
		check(click)
	}
	b.open(at + "/report/local/20261010-100000/evil.md")
	check("the Markdown", "/report/local/20261010-100000/evil.md")
	if n := eval[int](b, `document.querySelectorAll("h1, script, img").length`); n > 0 {
		t.Error("the Markdown is taken for a page")
	}
	const two = "/compare?a=local/20261010-100000/evil.html&b=local/20261008-090000/cart.TestCheckout.html"
	b.open(at + two)
	b.until("both frames are there", `document.readyState === "complete"`)
	if got := eval[string](b, `(function () { try { return frames[0].document.title + "read"; } catch (e) { return e.name; } })()`); got != "SecurityError" {
		t.Errorf("the frame and the page can read each other: %s", got)
	}
	check("a comparison", two, evilPage, "/report/local/20261008-090000/cart.TestCheckout.html")
	hostile := "/test?" + url.Values{"pkg": {"example.com/" + strings.ToValidUTF8(evil, "\uFFFD")}, "name": {"TestEvil/" + strings.ToValidUTF8(evil, "\uFFFD")}}.Encode()
	b.open(at + hostile)
	eval[int](b, `(function () { document.querySelectorAll("*").forEach(function (e) { ["mouseover", "focus", "error", "load"].forEach(function (x) { e.dispatchEvent(new Event(x)); }); }); return 0; })()`)
	if !eval[bool](b, `document.querySelector("h1").textContent.startsWith("TestEvil")`) {
		t.Error("the page of the hostile test is not shown")
	}
	check("hostile names", hostile)

	// Without the policy the same report does what it tries: the above is no matter of
	// this browser.
	a.Handler.(*Server).reportPolicy = "script-src *"
	b.open(at + evilPage)
	b.until("the report has asked for pictures", `document.readyState === "complete"`)
	if got := a.take(); !slices.Contains(got, "GET evil.example/?image") {
		t.Errorf("without a policy it asked for %q", got)
	}
}

// With a token: the address no longer has it, links work from within the sandbox of a
// report, and a page of another origin sees nothing.
func TestTokenInBrowser(t *testing.T) {
	b, at, _ := served(t, func(f *fixture) { f.options.Token = secret })
	b.open(at + "/")
	if got := eval[string](b, `document.querySelector("h1").textContent`); got != "A token is needed" {
		t.Fatalf("without a token: %s", got)
	}
	b.do(chromedp.Click(`[name=token]`))
	for _, k := range secret {
		b.key(string(k))
	}
	b.key("\r")
	b.until("the list is shown", `document.querySelectorAll(".ranking tbody tr").length === 5`)
	if got := eval[string](b, `location.href + document.cookie`); got != at+"/" {
		t.Errorf("the address is %s", got)
	}
	b.open(at + "/report/local/20261008-090000/cart.TestCheckout.html")
	b.do(chromedp.Click(`nav a`))
	b.until("the index is shown, though the browser kept its cookie to itself at first", `location.pathname.endsWith("/index.html") && document.querySelector("h1").textContent.includes("flaky test")`)
	b.do(chromedp.Click(`.test h3 a`))
	b.until("the page is shown again", `location.pathname.endsWith("/cart.TestCheckout.html") && document.querySelector("h1").textContent.includes("TestCheckout")`)
	b.open(at + pages["compare"])
	b.until("two reports are shown", `frames.length === 2 && document.readyState === "complete"`)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.console {
		if !strings.Contains(m, "401") && !strings.HasPrefix(m, "[DOM]") { // what is asked again, and advice on forms
			t.Errorf("console: %s", m)
		}
	}
}

// A name of somebody else's that leads to this machine is not answered.
func TestRebinding(t *testing.T) {
	b, _, _ := served(t, nil)
	b.open("http://evil.example/")
	if got := eval[string](b, `document.body.textContent`); strings.TrimSpace(got) != "This server answers for localhost only." {
		t.Errorf("it answered %.100s", got)
	}
}
