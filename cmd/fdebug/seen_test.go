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

// A seenText is text that the browser shows.
type seenText struct {
	Text string
	Box  seenBox
}

// A seenPage is what TestSeen looks for in a page.
type seenPage struct {
	Pass, Fail seenText // of the values of n
	Markdown   string
	Width      float64 // including what can be scrolled to
	Contrast   []string
}

const seenScript = `(() => {
	const box = e => { const r = e.getBoundingClientRect(); return {Width: r.width, Height: r.height, Right: r.right}; };
	const text = e => ({Text: e.textContent.replace(/\s+/g, " ").trim(), Box: box(e)});
	const body = Array.from(document.querySelectorAll("table.values tbody")).find(b => Array.from(b.querySelectorAll(".what code")).some(c => c.textContent === "n"));
	const side = row => text(row.querySelector("td"));
	document.getElementById("details").open = true;
	return {
		Pass: side(body.querySelector("tr.pass")), Fail: side(body.querySelector("tr.fail")),
		Markdown: document.getElementById("markdown-text").value,
		Width: document.documentElement.scrollWidth,
		Contrast: CONTRAST,
	};
})()`

// TestSeen has recorded runs of a test that does not wait for a goroutine, and looks in a
// browser for what the reader is to see: the values of either outcome, on a desktop and on a phone, light and dark, and
// in the Markdown.
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

// lookAt returns a page as it looks in a window of the given width.
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

// checkValues expects the 3 of passing runs, and less in failing ones.
func (p *seenPage) checkValues(t *testing.T, width float64) {
	t.Helper()
	for _, s := range []seenText{p.Pass, p.Fail} {
		if !s.Box.drawn(width) || !strings.Contains(p.markdown(), s.Text) {
			t.Errorf("values %+v; Markdown:\n%s", s, p.Markdown)
		}
	}
	if !strings.HasPrefix(p.Pass.Text, "3 ×") || strings.Contains(p.Fail.Text, "3 ×") {
		t.Errorf("passing runs had %s, failing ones %s", p.Pass.Text, p.Fail.Text)
	}
}
