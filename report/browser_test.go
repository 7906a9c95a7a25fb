package report

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "write screenshots of the pages into this directory")

// A browser shows pages and records what they ought not to do.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // all but the page itself
	console  []string // messages, exceptions, violations of the policy
	dialogs  []string
}

// findBrowser returns the path of a Chromium or Chrome.
func findBrowser(t *testing.T) string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium found: install chromium to run the browser tests")
	return ""
}

// newBrowser starts a browser with one tab.
func newBrowser(t *testing.T) *browser {
	path := findBrowser(t)
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.NoFirstRun)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	call(b, runtime.Enable, cdp.Empty{})
	return b
}

// event records what a page does.
func (b *browser) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if ev.Type != network.ResourceTypeDocument {
			b.requests = append(b.requests, ev.Request.URL)
		}
	case *log.EventEntryAdded:
		b.console = append(b.console, ev.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		b.console = append(b.console, fmt.Sprint("console.", ev.Type))
	case *runtime.EventExceptionThrown:
		b.console = append(b.console, ev.ExceptionDetails.Text)
	case *page.EventJavascriptDialogOpening:
		b.dialogs = append(b.dialogs, ev.Message)
	}
}

// quiet fails the test if the page asked for anything or had any trouble.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		b.t.Errorf("the page asked for %.200s", r)
	}
	for _, m := range b.console {
		b.t.Errorf("console: %.300s", m)
	}
	for _, m := range b.dialogs {
		b.t.Errorf("dialog: %.200s", m)
	}
}

// limit bounds one action.
func (b *browser) limit() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, time.Minute)
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// eval returns the value of a JavaScript expression.
func eval[T any](b *browser, js string) T {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		b.t.Fatalf("%v in %.200s", err, js)
	}
	return v
}

// until waits for a JavaScript condition. A browser follows a link and scrolls
// in its own time: a click is over before either.
func (b *browser) until(what, js string) {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](js))
		if err != nil {
			b.t.Fatalf("waiting until %s: %v in %.200s", what, err, js)
		}
		if ok {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// follow clicks a link into the page and waits until the page has come to rest
// there: it opens what is folded and scrolls when the browser tells it so, after
// the click, and what is clicked next must not move away from under it.
func (b *browser) follow(link string) {
	b.t.Helper()
	eval[bool](b, `(function () { window.followed = false; addEventListener("hashchange", function () { followed = true; }, { once: true }); return true; })()`)
	b.do(chromedp.Click(link))
	b.until("the page has followed "+link, "followed")
}

// look sets the colour scheme ("light", "dark") and the size of the window.
func (b *browser) look(scheme string, width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// open writes a page to a file and shows it.
func (b *browser) open(name string, data []byte) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(file, data, 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Navigate("file://" + filepath.ToSlash(file)))
}

// shot writes a screenshot if the user asked for it.
func (b *browser) shot(name string, full bool) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	action := chromedp.CaptureScreenshot()
	if full {
		action = chromedp.FullScreenshot(100)
	}
	ctx, cancel := b.limit()
	defer cancel()
	png, err := chromedp.Run(ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o666); err != nil {
		b.t.Fatal(err)
	}
}

// key presses a key where the focus is.
func (b *browser) key(k string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(k))
}

// TestShots writes screenshots of all pages, to be looked at.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("no -shots DIR")
	}
	b := newBrowser(t)
	f := newFixture(t)
	r := f.result(f.queue(), f.rng(), f.keys(), f.hang(), f.always())
	r.Warnings = []string{"interrupted after 50 of 60 runs"}
	dir := t.TempDir()
	files, err := WriteDir(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	var diff bytes.Buffer
	if err := DiffHTML(&diff, f.diff()); err != nil {
		t.Fatal(err)
	}
	files = append(files, filepath.Join(dir, "diff.html"))
	if err := os.WriteFile(files[len(files)-1], diff.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if filepath.Ext(file) != ".html" {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		for _, scheme := range []string{"light", "dark"} {
			b.look(scheme, 1280, 900)
			b.do(chromedp.Navigate("file://" + file))
			b.shot(name+"-"+scheme+"-first", false)
			b.shot(name+"-"+scheme, true)
			b.look(scheme, 390, 844)
			b.do(chromedp.Navigate("file://" + file))
			b.shot(name+"-"+scheme+"-phone", true)
		}
	}
}

// call sends a command of the protocol.
func call[P, R any](b *browser, cmd cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	res, err := chromedp.Call(ctx, cmd, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}
