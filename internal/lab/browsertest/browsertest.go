// Package browsertest shows pages to tests in an installed Chromium or Chrome, and records what
// the pages should not do. A browser takes longer to start than most tests take. So the tests of
// a process share one, in turns.
package browsertest

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// errNone is returned if no browser is installed.
var errNone = errors.New("no Chromium found: install chromium to run the browser tests")

// A Shared is a browser for the tests of a process. The first test that needs it starts it. The
// zero value is ready for use.
type Shared struct {
	Flags []chromedp.ExecAllocatorOption // besides those that every browser gets

	once sync.Once
	ctx  context.Context // of the browser
	err  error

	turn sync.Mutex      // held by the test that has the tab
	tab  context.Context // nil if there is none yet, or no longer
	shut context.CancelFunc
}

// Open gives the test a tab that looks new until the test is over. It skips the test if there is
// no browser, and in short mode.
func (s *Shared) Open(t *testing.T) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s.once.Do(s.start)
	if errors.Is(s.err, errNone) {
		t.Skip(s.err)
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	s.turn.Lock()
	t.Cleanup(s.turn.Unlock)
	if s.tab == nil {
		s.tab, s.shut = chromedp.NewContext(s.ctx, chromedp.WithNewWindow(false))
		if err := chromedp.Do(s.tab); err != nil { // without a limit, which would be that of the tab
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() { // its state is unknown
			s.shut()
			s.tab = nil
		}
	})
	ctx, cancel := context.WithCancel(s.tab)
	t.Cleanup(cancel)
	b := &Tab{t: t, ctx: ctx}
	b.reset()
	b.listen()
	return b
}

// start starts the browser.
func (s *Shared) start() {
	path, err := find()
	if err != nil {
		s.err = err
		return
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true))
	ctx, _ := chromedp.NewExecAllocator(context.Background(), slices.Concat(opts, s.Flags)...) // Close ends it
	s.ctx, _ = chromedp.NewContext(ctx)
	s.err = chromedp.Do(s.ctx)
}

// find returns the path of a Chromium or Chrome.
func find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNone
}

// Close ends the browser if it was started.
func (s *Shared) Close() {
	if s.ctx == nil || s.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
	defer cancel()
	chromedp.Cancel(ctx) // whatever remains ends with this process
}

// reset undoes what an earlier test has set.
func (b *Tab) reset() {
	b.t.Helper()
	Call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	Call(b, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	Call(b, network.ClearBrowserCookies, cdp.Empty{})
	b.Open("about:blank")
}
