package report

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/browsertest"
	"github.com/fdebug/fdebug/internal/text"
)

// pageOf renders the page of a test.
func pageOf(t *testing.T, r *finding.Result, test *finding.Test) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := testHTML(&b, r, test); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// aLine is a marked line as the browser shows it.
type aLine struct {
	Line, Mark, Words, Background, Border string
	Callouts                              []string
}

const markedLines = `Array.from(document.querySelectorAll(".line[class*=' ']")).map(function (l) {
	var style = getComputedStyle(l), mk = l.querySelector(".mk"), callouts = [];
	for (var n = l.nextElementSibling; n && n.classList.contains("callout"); n = n.nextElementSibling) { callouts.push(n.innerText.trim()); }
	return {Line: l.id, Mark: mk.lastElementChild.textContent, Words: mk.firstElementChild.textContent,
		Background: style.backgroundColor, Border: style.borderLeftStyle, Callouts: callouts};
})`

// TestPaperExample is the working example of the FD paper as a browser shows
// it: lines 7 to 9 gray, line 10 green, line 12 red (listing 3), and the same by
// marks, words and borders.
func TestPaperExample(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.rng()
	b.Show("rng.html", pageOf(t, f.result(test), test))
	for _, scheme := range []string{"light", "dark"} {
		b.Look(scheme, 1280, 900)
		lines := browsertest.Eval[[]aLine](b, markedLines)
		gray, green, red := hue(lines[2].Background), hue(lines[5].Background), hue(lines[6].Background)
		if gray != "gray" || green != "green" || red != "red" {
			t.Errorf("%s: common, pass, fail are %s, %s, %s", scheme, gray, green, red)
		}
		for i := range lines {
			lines[i].Background = ""
		}
		want := []aLine{
			{Line: "rng-rng_test.go-L6", Mark: "=", Words: "common:", Border: "solid", Callouts: []string{}},
			{Line: "rng-rng_test.go-L7", Mark: "=", Words: "common:", Border: "solid", Callouts: []string{}},
			{Line: "rng-rng.go-L7", Mark: "=", Words: "common:", Border: "solid", Callouts: []string{}},
			{Line: "rng-rng.go-L8", Mark: "=", Words: "common:", Border: "solid", Callouts: []string{}},
			{Line: "rng-rng.go-L9", Mark: "=", Words: "common:", Border: "solid", Callouts: []string{"last common line"}},
			{Line: "rng-rng.go-L10", Mark: "+", Words: "next in passing runs:", Border: "double", Callouts: []string{"passing runs: 26 of 26"}},
			{Line: "rng-rng.go-L12", Mark: "-", Words: "next in failing runs:", Border: "dashed", Callouts: []string{"failing runs: 24 of 24"}},
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", scheme, diff)
		}
		if got := browsertest.Eval[string](b, `document.querySelector(".callout.here").previousElementSibling.id`); got != "rng-rng_test.go-L8" {
			t.Errorf("test failed at %s", got)
		}
	}
	b.Quiet()
}

// hue says what a colour "rgb(r, g, b)" looks like.
func hue(rgb string) string {
	var c [3]int
	if n, _ := sscanRGB(rgb, &c); n != 3 {
		return rgb
	}
	r, g, bl := c[0], c[1], c[2]
	switch {
	case max(r, g, bl)-min(r, g, bl) < 20:
		return "gray"
	case g > r+10 && g > bl+10:
		return "green"
	case r > g+10 && r > bl+10:
		return "red"
	}
	return rgb
}

// TestPageKeys presses n, p, f and ?.
func TestPageKeys(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.queue()
	b.Look("light", 1280, 900)
	b.Show("queue.html", pageOf(t, f.result(test), test))
	current := func() string {
		return browsertest.Eval[string](b, `(document.querySelector(".current") || {}).id || ""`)
	}
	visible := func() bool {
		return browsertest.Eval[bool](b, `(function () { var r = document.querySelector(".current").getBoundingClientRect(); return r.top > 0 && r.bottom < innerHeight - 50; })()`)
	}
	for i, step := range []struct{ key, want string }{
		{"n", "queue-queue.go-L37"}, {"n", "queue-queue.go-L45"}, {"n", "queue-queue.go-L37"}, {"p", "queue-queue.go-L45"},
	} {
		if b.Key(step.key); current() != step.want || !visible() {
			t.Errorf("%d: after %s: %s, want %s in sight", i, step.key, current(), step.want)
		}
	}
	open := `document.querySelectorAll("details[open]").length`
	b.Key("f")
	if n := browsertest.Eval[int](b, open); n == 0 {
		t.Error("f unfolded nothing")
	}
	b.Key("f")
	if n := browsertest.Eval[int](b, open); n != 0 {
		t.Errorf("f left %d parts unfolded", n)
	}
	b.Key("?")
	if !browsertest.Eval[bool](b, `document.getElementById("help").open`) {
		t.Error("? did not open the help")
	}
	b.Do(chromedp.Click("#help button"))
	if browsertest.Eval[bool](b, `document.getElementById("help").open`) {
		t.Error("the help did not close")
	}
	b.Quiet()
}

// TestPageLinks goes to a row of the folded table, and follows a permalink.
func TestPageLinks(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.queue()
	b.Look("light", 1280, 900)
	b.Show("queue.html", pageOf(t, f.result(test), test))
	dead := browsertest.Eval[[]string](b, `Array.from(document.querySelectorAll("a[href^='#']")).map(function (a) { return a.getAttribute("href").slice(1); }).filter(function (id) { return !document.getElementById(id); })`)
	if len(dead) > 0 {
		t.Errorf("links to nowhere: %q", dead)
	}
	if dup := browsertest.Eval[[]string](b, `Array.from(document.querySelectorAll("[id]")).map(function (e) { return e.id; }).filter(function (id, i, all) { return all.indexOf(id) !== i; })`); len(dup) > 0 {
		t.Errorf("ids used twice: %q", dup)
	}
	browsertest.Eval[bool](b, `document.getElementById("details").open = true`)
	browsertest.Eval[bool](b, `(location.hash = "run-7", true)`)
	b.Until("the row of run 7 is to be seen", `document.getElementById("run-7").checkVisibility()`)
	b.Follow(`[id="queue-queue.go-L44"] a.no`)
	if got := browsertest.Eval[string](b, `getComputedStyle(document.querySelector(".line:target > code")).boxShadow`); got == "none" {
		t.Error("the target of a permalink is not highlighted")
	}
	b.Quiet()
}

// TestCopyMarkdown copies the Markdown where the browser lets it, and selects
// it where it does not.
func TestCopyMarkdown(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.rng()
	r := f.result(test)
	b.Look("light", 1280, 900)
	b.Show("rng.html", pageOf(t, r, test))
	var md bytes.Buffer
	if err := Markdown(&md, r, test); err != nil {
		t.Fatal(err)
	}
	if got := browsertest.Eval[string](b, `document.getElementById("markdown-text").value`); got != md.String() {
		t.Errorf("the Markdown in the page differs (-want +got):\n%s", cmp.Diff(md.String(), got))
	}
	browsertest.Eval[bool](b, `(function () { window.copied = ""; navigator.clipboard.writeText = function (s) { window.copied = s; return Promise.resolve(); }; return true; })()`)
	b.Do(chromedp.Click("[data-do=markdown]"))
	if got := browsertest.Eval[string](b, `window.copied`); got != md.String() {
		t.Errorf("copied %.100q", got)
	}
	browsertest.Eval[bool](b, `(function () { navigator.clipboard.writeText = function () { return Promise.reject(); }; return true; })()`)
	b.Do(chromedp.Click("[data-do=markdown]"))
	if got := browsertest.Eval[int](b, `document.getElementById("markdown-text").selectionEnd`); got == 0 {
		t.Error("nothing is selected")
	}
	b.Quiet()
}

// TestWithoutScript shows the page with script turned off: all of it can be
// read, and nothing is shown that would not work.
func TestWithoutScript(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.queue()
	browsertest.Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.Look("light", 1280, 900)
	b.Show("queue.html", pageOf(t, f.result(test), test))
	text := browsertest.Eval[string](b, `document.body.innerText`)
	for _, want := range []string{"12 of 50 runs failed", "How it fails", "Cause", "passing runs: 38 of 38", "delayed here", "fdebug replay"} {
		if !strings.Contains(text, want) {
			t.Errorf("without script the page does not say %q", want)
		}
	}
	if n := browsertest.Eval[int](b, `Array.from(document.querySelectorAll("button")).filter(function (b) { return b.checkVisibility(); }).length`); n > 0 {
		t.Errorf("%d buttons are shown that do nothing", n)
	}
	b.Quiet()
}

// TestPhone shows every page on a phone: only code scrolls sideways.
func TestPhone(t *testing.T) {
	b := browsers.Open(t)
	for name, page := range allPages(t) {
		b.Show(name, page)
		for _, width := range []int64{320, 390} {
			b.Look("light", width, 800)
			if w := browsertest.Eval[int64](b, `document.documentElement.scrollWidth`); w > width {
				t.Errorf("%s is %d wide on a screen of %d: %s", name, w, width, browsertest.Eval[string](b, widest))
			}
		}
	}
	b.Quiet()
}

const widest = `Array.from(document.querySelectorAll("body *")).filter(function (e) { return e.getBoundingClientRect().right > innerWidth && !e.closest(".code, .scroll, pre"); }).map(function (e) { return e.tagName + "." + e.className; }).slice(0, 5).join(" ")`

// contrasts is a script that returns the text elements whose contrast to what
// is behind them is below 4.5.
func contrasts(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("testdata/contrast.js")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestContrast computes the contrast of all text, folded parts open.
func TestContrast(t *testing.T) {
	b := browsers.Open(t)
	for name, page := range allPages(t) {
		b.Show(name, page)
		browsertest.Eval[int](b, `(function () { var d = document.querySelectorAll("details"); d.forEach(function (d) { d.open = true; }); if (document.getElementById("help")) { document.getElementById("help").showModal(); } return d.length; })()`)
		for _, scheme := range []string{"light", "dark"} {
			b.Look(scheme, 1280, 900)
			for _, bad := range browsertest.Eval[[]string](b, contrasts(t)) {
				t.Errorf("%s, %s: %s", name, scheme, bad)
			}
		}
	}
	b.Quiet()
}

// allPages renders a page of each kind.
func allPages(t *testing.T) map[string][]byte {
	f := newFixture(t)
	r := f.result(f.queue(), f.rng(), f.keys(), f.hang(), f.always(), f.ordered())
	r.Notes = "# Notes\n\n| a | b |\n|---|---|\n| `code` | [link](https://example.com) |\n\n> quoted\n"
	r.Warnings = []string{"interrupted after 50 of 60 runs"}
	pages := map[string][]byte{}
	for i, test := range r.Tests {
		pages[text.TestFile(test.Package, test.Name)+".html"] = pageOf(t, r, r.Tests[i])
	}
	var index, none bytes.Buffer
	for _, err := range []error{newViewer(r).index(&index), newViewer(f.result()).index(&none)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	pages["index.html"], pages["none.html"] = index.Bytes(), none.Bytes()
	return pages
}
