package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// A Tab shows a page. Errors end the test.
type Tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // everything except pages
	console  []string // messages, exceptions, violations of the policy
	dialogs  []string
}

// listen records what pages do from now on.
func (b *Tab) listen() {
	b.t.Helper()
	if err := chromedp.Listen(b.ctx, b.event); err != nil {
		b.t.Fatal(err)
	}
	Call(b, network.Enable, network.EnableParams{})
	Call(b, log.Enable, cdp.Empty{})
	Call(b, runtime.Enable, cdp.Empty{})
}

func (b *Tab) event(ev any) {
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

// Requests returns the requests of pages, other than for pages.
func (b *Tab) Requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}

// Console returns the lines that pages have written to the console: messages, exceptions and
// violations of their policy.
func (b *Tab) Console() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.console)
}

// Quiet fails the test if a page requested anything or had any trouble.
func (b *Tab) Quiet() {
	b.t.Helper()
	for _, r := range b.Requests() {
		b.t.Errorf("a page requested %.200s", r)
	}
	for _, m := range b.Console() {
		b.t.Errorf("console: %.300s", m)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.dialogs {
		b.t.Errorf("dialog: %.200s", m)
	}
}

// limit limits one action.
func (b *Tab) limit() (context.Context, context.CancelFunc) {
	return context.WithTimeout(b.ctx, time.Minute)
}

// Do takes steps, such as a click.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](b *Tab, js string) T {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		b.t.Fatalf("%v in %.200s", err, js)
	}
	return v
}

// Call sends a command of the browser's protocol.
func Call[P, R any](b *Tab, cmd cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := b.limit()
	defer cancel()
	res, err := chromedp.Call(ctx, cmd, params)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// Until waits for a JavaScript condition. A browser follows a link and scrolls in its own time,
// after the click is over. While a page is being left there is no page to ask, which counts as no
// answer.
func (b *Tab) Until(what, js string) {
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

// Follow clicks a link into the page and waits until the page has settled there. The page opens
// folded parts and scrolls after the click, when the browser says so, and what is clicked next
// must not move meanwhile.
func (b *Tab) Follow(link string) {
	b.t.Helper()
	Eval[bool](b,
		`(function () { window.followed = false; addEventListener("hashchange", function () { followed = true; }, { once: true }); return true; })()`)
	b.Do(chromedp.Click(link))
	b.Until("the page has followed "+link, "followed")
}

// Look sets the colour scheme ("light", "dark") and the size of the window, also for the page
// that is open.
func (b *Tab) Look(scheme string, width, height int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	b.Until("the window has its size", fmt.Sprintf("innerWidth === %d && innerHeight === %d", width, height))
}

// Open shows a page.
func (b *Tab) Open(url string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(url))
}

// Leave leaves a page that may be navigating, which would interrupt what is opened next. If that page comes in between,
// the event that ends the wait for this one never comes.
func (b *Tab) Leave() {
	b.t.Helper()
	for range 10 {
		ctx, cancel := context.WithTimeout(b.ctx, 2*time.Second)
		err := chromedp.Do(ctx, chromedp.Navigate("about:blank"))
		cancel()
		if err == nil {
			return
		}
	}
	b.Open("about:blank")
}

// OpenFile shows a page that is in a file.
func (b *Tab) OpenFile(file string) {
	b.t.Helper()
	b.Open("file://" + filepath.ToSlash(file))
}

// Show shows a page through a file of that name.
func (b *Tab) Show(name string, page []byte) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(file, page, 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.OpenFile(file)
}

// Key presses a key where the focus is.
func (b *Tab) Key(k string) {
	b.t.Helper()
	b.Do(chromedp.KeyEvent(k))
}

// Shot writes a screenshot of the visible part, or of the whole page.
func (b *Tab) Shot(file string, whole bool) {
	b.t.Helper()
	action := chromedp.CaptureScreenshot()
	if whole {
		action = chromedp.FullScreenshot(100)
	}
	ctx, cancel := b.limit()
	defer cancel()
	png, err := chromedp.Run(ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, png, 0o666); err != nil {
		b.t.Fatal(err)
	}
}
