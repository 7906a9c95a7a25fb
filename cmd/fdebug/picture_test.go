package main

import (
	"bytes"
	"flag"
	"html"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/lab/browsertest"
	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/internal/session"
)

var picture = flag.Bool("picture", false, "make docs/report.png anew, of examples/unordered, and print what that run said")

// TestPicture compares the words of docs/report.png, the picture of a report in README.md, with
// those of today's page of the same runs. With -picture it makes these runs, the picture, and
// docs/report.txt, which has its words.
func TestPicture(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	file, err := filepath.Abs("testdata/recorded/picture.tar.zst")
	if err != nil {
		t.Fatal(err)
	}
	if *picture && !t.Run("record", func(t *testing.T) { recordPicture(t, file) }) {
		return
	}
	dir := t.TempDir()
	recordedPages(t, file, dir)
	page := filepath.Join(dir, "unordered.TestScript.html")
	got := pictureWords(t, page)
	const words = "../../docs/report.txt"
	if *picture {
		if err := os.WriteFile(words, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		shootCause(t, page, "../../docs/report.png")
	}
	want, err := os.ReadFile(words)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("docs/report.png shows other words (-) than today's page (+), make it anew with -picture:\n%s", d)
	}
}

// recordPicture runs examples/unordered as README.md does, and keeps the runs in a file.
func recordPicture(t *testing.T, file string) {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "flaky", "examples") // on all machines
	if err := os.CopyFS(dir, os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	t.Chdir(dir) // so that commands on the page need no -C
	args := []string{"run", "./unordered", "-n", "50"}
	var out bytes.Buffer
	a := &app{Console: &session.Console{Stdout: &out, Stderr: os.Stderr, Getenv: os.Getenv}, args: append([]string{"fdebug"}, args...)}
	if code := a.main(args); code != exit.Flaky || !strings.Contains(out.String(), " · proved") {
		t.Fatalf("exit code %d, or nothing is proved: run it again\n%s", code, out.String())
	}
	t.Logf("$ fdebug %s\n%s", strings.Join(args, " "), out.String())
	run, err := filepath.EvalSymlinks(filepath.Join(dir, ".fdebug", "latest"))
	if err == nil {
		err = recorded.KeepModule(dir, "unordered", run)
	}
	if err == nil {
		err = recorded.PackFile(file, run)
	}
	if err != nil {
		t.Fatal(err)
	}
	verifyFixed(t)
}

// Parts of a page, for its words.
var (
	folded   = regexp.MustCompile(`(?s)<div class="markdown">.*?</div>`)
	unseen   = regexp.MustCompile(`<(\w+)[^>]* class="vh"[^>]*>[^<]*</\w+>`)
	inWord   = regexp.MustCompile(`<span class="\w">|</?(a|ins|del|mark)\b[^>]*>|</(code|span)>`) // colours, links
	spacing  = regexp.MustCompile(`<(code|span)\b[^>]*>`)
	otherTag = regexp.MustCompile(`<[^>]*>`)
)

// pictureWords are those of what shootCause takes a picture of, line by line.
func pictureWords(t *testing.T, page string) string {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), `<header class="top">`)
	text, rest, _ := strings.Cut(text, `<section class="cause`)
	cause, _, ok := strings.Cut(rest, "</section>")
	if !ok {
		t.Fatal("the page has no cause")
	}
	text = unseen.ReplaceAllString(folded.ReplaceAllString(text+"<section"+cause, ""), "")
	text = spacing.ReplaceAllString(inWord.ReplaceAllString(text, ""), " ")
	text = otherTag.ReplaceAllString(text, "\n")
	var b strings.Builder
	for line := range strings.Lines(html.UnescapeString(text)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
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
