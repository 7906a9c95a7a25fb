package serve

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// A browser shows pages and records what they ought not to do. Package report has one
// for files.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // all but pages
	console  []string // messages, exceptions, violations of the policy
	dialogs  []string
}

func newBrowser(t *testing.T, flags ...chromedp.ExecAllocatorOption) *browser {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium found: install chromium to run the browser tests")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.NoFirstRun)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), append(opts, flags...)...)
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

// asked returns what pages have asked for, other than pages.
func (b *browser) asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests
}

// quiet fails the test if a page asked for anything or had any trouble.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.requests {
		b.t.Errorf("a page asked for %.200s", r)
	}
	for _, m := range b.console {
		b.t.Errorf("console: %.300s", m)
	}
	for _, m := range b.dialogs {
		b.t.Errorf("dialog: %.200s", m)
	}
}

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

// until waits for a JavaScript condition. While a page is being left there is none to
// ask, which is no answer.
func (b *browser) until(what, js string) {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](js))
		if ok {
			return
		}
		if ctx.Err() != nil {
			b.t.Fatalf("waiting until %s: %v in %.200s", what, err, js)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// look sets the colour scheme ("light", "dark") and the size of the window.
func (b *browser) look(scheme string, width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

func (b *browser) key(k string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(k))
}

// shot writes a screenshot if the user asked for it.
func (b *browser) shot(name string) {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o666); err != nil {
		b.t.Fatal(err)
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
