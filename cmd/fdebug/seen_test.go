package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/browsertest"
)

// A seenBox is something that the browser draws: its size, and the position of its right edge.
type seenBox struct{ Width, Height, Right float64 }

func (b seenBox) drawn(width float64) bool {
	return b.Width+b.Height > 2 && b.Right > 0 && b.Right <= width
}

func (b seenBox) center() float64 { return b.Right - b.Width/2 }

// A seenText is text that the browser shows.
type seenText struct {
	Text string
	Box  seenBox
}

// A seenSide is the row of one outcome in the table of values.
type seenSide struct {
	Dots  []seenBox
	Limit bool
	Label string // of the picture, for screen readers
	Text  seenText
}

// A seenRun is a run in the picture of the order.
type seenRun struct {
	Label              seenText
	Dot, Look, Arrow   seenBox
	ArrowFrom, ArrowTo float64 // y
}

// A seenPage is what TestSeen looks for in a page.
type seenPage struct {
	Pass, Fail seenSide // of the values of n
	Runs       []seenRun
	LanesLabel string // for screen readers
	Markdown   string
	Width      float64 // including what can be scrolled to
	Contrast   []string
}

const seenScript = `(() => {
	const box = e => { const r = e.getBoundingClientRect(); return {Width: r.width, Height: r.height, Right: r.right}; };
	const text = e => ({Text: e.textContent.replace(/\s+/g, " ").trim(), Box: box(e)});
	const body = Array.from(document.querySelectorAll("table.values tbody")).find(b => Array.from(b.querySelectorAll(".what code")).some(c => c.textContent === "n"));
	const side = row => ({
		Dots: Array.from(row.querySelectorAll("circle")).map(box), Limit: !!row.querySelector("line.limit"),
		Label: row.querySelector("svg").getAttribute("aria-label"), Text: text(row.querySelector(".numbers")),
	});
	document.getElementById("details").open = true;
	const lanes = document.querySelector(".lanes");
	return {
		Pass: side(body.querySelector("tr.pass")), Fail: side(body.querySelector("tr.fail")),
		Runs: Array.from(lanes.querySelectorAll("svg > g.pass, svg > g.fail")).map(g => {
			const arrow = g.querySelector("line.arrow");
			return {Label: text(g.querySelector(".run")), Dot: box(g.querySelector("circle")), Look: box(g.querySelector("line.look")),
				Arrow: box(arrow), ArrowFrom: arrow.y1.baseVal.value, ArrowTo: arrow.y2.baseVal.value};
		}),
		LanesLabel: lanes.querySelector("svg").getAttribute("aria-label"),
		Markdown: document.getElementById("markdown-text").value,
		Width: document.documentElement.scrollWidth,
		Contrast: CONTRAST,
	};
})()`

// TestSeen has recorded runs of a test that does not wait for a goroutine, and looks in a
// browser for what the reader is to see: the values of either outcome as dots on one axis, and a passing and a failing run with
// arrows that point opposite ways; on a desktop and on a phone, light and dark,
// in words too, and in the Markdown.
func TestSeen(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	ar, err := txtar.ParseFile("testdata/batch.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, f := range ar.Files {
		files[f.Name] = string(f.Data)
	}
	data, dir := recordedOf(t, "batch", files, "-n", "30")
	var r struct{ Tests []struct{ Report string } }
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	b := browsers.Open(t)
	b.OpenFile(filepath.Join(dir, r.Tests[0].Report))
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			p := lookAt(t, b, scheme, width)
			p.check(t, float64(width))
		}
	}
}

// lookAt returns what a page shows in a window of the given width.
func lookAt(t *testing.T, b *browsertest.Tab, scheme string, width int64) *seenPage {
	t.Helper()
	contrast, err := os.ReadFile("../../report/testdata/contrast.js")
	if err != nil {
		t.Fatal(err)
	}
	b.Look(scheme, width, 900)
	script := strings.Replace(seenScript, "CONTRAST", string(contrast[strings.Index(string(contrast), "(function"):]), 1)
	return browsertest.Eval[*seenPage](b, script)
}

func (p *seenPage) check(t *testing.T, width float64) {
	t.Helper()
	p.checkValues(t, width)
	p.checkLanes(t, width)
	if p.Width > width {
		t.Errorf("the page is %g wide in a window of %g", p.Width, width)
	}
	for _, c := range p.Contrast {
		t.Errorf("contrast below 4.5: %s", c)
	}
}

// markdown is the Markdown of the page without markup.
func (p *seenPage) markdown() string {
	return strings.NewReplacer("`", "", `\`, "").Replace(p.Markdown)
}

// checkValues expects one dot for the 3 of passing runs, and one to three for less in failing
// ones.
func (p *seenPage) checkValues(t *testing.T, width float64) {
	t.Helper()
	if n := len(p.Pass.Dots); n != 1 {
		t.Errorf("%d dots for passing runs, which all had 3", n)
	}
	if n := len(p.Fail.Dots); n < 1 || n > 3 {
		t.Errorf("%d dots for failing runs, want those of 0 to 2", n)
	}
	for _, s := range []seenSide{p.Pass, p.Fail} {
		for _, d := range s.Dots {
			if !d.drawn(width) || d.Width < 4 {
				t.Errorf("a dot is not to be seen: %+v", d)
			}
		}
		if !s.Limit || !s.Text.Box.drawn(width) {
			t.Errorf("limit %v, numbers %+v", s.Limit, s.Text)
		}
		if s.Label != s.Text.Text || !strings.Contains(p.markdown(), s.Label) {
			t.Errorf("the picture has label %q, the text is %q; Markdown:\n%s", s.Label, s.Text.Text, p.Markdown)
		}
	}
	if !strings.HasPrefix(p.Pass.Text.Text, "3 ×") || p.Pass.Dots[0].Right <= p.Fail.Dots[len(p.Fail.Dots)-1].Right {
		t.Errorf("passing runs had %s, failing ones %s", p.Pass.Text.Text, p.Fail.Text.Text)
	}
}

// checkLanes expects the dot before the line in the passing run, and after it in the failing one.
func (p *seenPage) checkLanes(t *testing.T, width float64) {
	t.Helper()
	if len(p.Runs) != 2 {
		t.Fatalf("%d runs in the picture", len(p.Runs))
	}
	for i, r := range p.Runs {
		for name, b := range map[string]seenBox{"label": r.Label.Box, "dot": r.Dot, "line": r.Look, "arrow": r.Arrow} {
			if !b.drawn(width) {
				t.Errorf("%s: the %s is not to be seen: %+v", r.Label.Text, name, b)
			}
		}
		ahead := r.Look.center() - r.Dot.center()
		if down := r.ArrowTo > r.ArrowFrom; down != (i == 0) || (ahead > 0) != (i == 0) {
			t.Errorf("%s: the dot is %g before the line, arrow down %v", r.Label.Text, ahead, down)
		}
		if !strings.Contains(p.LanesLabel, r.Label.Text) {
			t.Errorf("%s is not in the label %q", r.Label.Text, p.LanesLabel)
		}
	}
}
