package main

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/exit"

	"github.com/fdebug/fdebug/internal/session"

	"github.com/chromedp/chromedp"

	"github.com/fdebug/fdebug/internal/lab/browsertest"
)

var picture = flag.Bool("picture", false, "make docs/report.png anew, of examples/unordered, and print what that run said")

// TestPicture makes the picture of a report in README.md: the title and the cause. It does so
// only on request, because each run has other numbers.
func TestPicture(t *testing.T) {
	if !*picture {
		t.Skip("no -picture")
	}
	to, err := filepath.Abs("../../docs/report.png")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "examples")
	if err := os.CopyFS(dir, os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	os.RemoveAll(filepath.Join(dir, ".fdebug"))
	t.Chdir(dir) // so that commands on the page need no -C
	args := []string{"run", "./unordered", "-n", "50"}
	var out bytes.Buffer
	a := &app{Console: &session.Console{Stdout: &out, Stderr: os.Stderr, Getenv: os.Getenv}, args: append([]string{"fdebug"}, args...)}
	if code := a.main(args); code != exit.Flaky || !strings.Contains(out.String(), " · proved") {
		t.Fatalf("exit code %d, or nothing is proved: run it again\n%s", code, out.String())
	}
	t.Logf("$ fdebug %s\n%s", strings.Join(args, " "), out.String())
	page, err := filepath.EvalSymlinks(filepath.Join(dir, ".fdebug/latest/unordered.TestScript.html"))
	if err != nil {
		t.Fatal(err)
	}
	shootCause(t, page, to)
	verifyFixed(t)
}

// verifyFixed walks the steps in sorted order, and checks whether that helped.
func verifyFixed(t *testing.T) {
	src, err := os.ReadFile("unordered/plan.go")
	if err != nil {
		t.Fatal(err)
	}
	fixed := strings.Replace(string(src), "for step, n := range missing {", "for _, step := range slices.Sorted(maps.Keys(missing)) {\n\t\tn := missing[step]", 1)
	fixed = strings.Replace(fixed, "import (", "import (\n\t\"maps\"\n\t\"slices\"", 1)
	if err := os.WriteFile("unordered/plan.go", []byte(fixed), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := &app{Console: &session.Console{Stdout: &out, Stderr: os.Stderr, Getenv: os.Getenv}}
	if code := a.main([]string{"verify", "TestScript"}); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	t.Logf("$ fdebug verify TestScript\n%s", out.String())
}

// shootCause writes a picture of the title and the cause of a page.
func shootCause(t *testing.T, page, to string) {
	t.Helper()
	const width, scale = 900, 1.5
	b := browsers.Open(t)
	b.Do(chromedp.EmulateViewport(width, 900, chromedp.EmulateScale(scale)))
	b.OpenFile(page)
	end := browsertest.Eval[float64](b, `document.querySelector(".bar").hidden = true, document.querySelector(".bar").style.display = "none", document.querySelector("section.cause").getBoundingClientRect().bottom + scrollY`)
	file := filepath.Join(t.TempDir(), "whole.png")
	b.Shot(file, true)
	shot, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	var small bytes.Buffer
	best := png.Encoder{CompressionLevel: png.BestCompression}
	if err := best.Encode(&small, paletted(whole, image.Rect(0, 0, int(width*scale), int((end+20)*scale)))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, small.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// paletted returns a part of an image in its 256 most frequent colours. A page of text has few
// more, and this takes a third of the bytes.
func paletted(whole image.Image, part image.Rectangle) *image.Paletted {
	count := make(map[color.RGBA]int)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			count[color.RGBAModel.Convert(whole.At(x, y)).(color.RGBA)]++
		}
	}
	var colors []color.RGBA
	for c := range count {
		colors = append(colors, c)
	}
	slices.SortFunc(colors, func(a, b color.RGBA) int { return count[b] - count[a] })
	var palette color.Palette
	for _, c := range colors[:min(len(colors), 256)] {
		palette = append(palette, c)
	}
	p := image.NewPaletted(part, palette)
	draw.Draw(p, part, whole, part.Min, draw.Src)
	return p
}
