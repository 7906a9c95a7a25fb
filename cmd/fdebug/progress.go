package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows how far a run has come: as one line that changes on a
// terminal, otherwise as a line now and then.
type progress struct {
	app     *app
	verbose bool
	ready   bool                     // nothing is built: the binaries come in a bundle
	bar     *progressbar.ProgressBar // nil without a terminal
	pkg     string                   // package that bar is for
	last    time.Duration            // when the last line was written
}

func (j *runJob) newProgress(verbose bool) *progress {
	return &progress{app: j.app, verbose: verbose, ready: j.bundle != nil}
}

// event is called by the runner.
func (p *progress) event(e runner.Event) {
	switch e.Kind {
	case runner.Building:
		if p.close(); p.ready {
			return
		}
		p.app.progressf("[%d/%d] building %s", e.Index, e.Packages, e.Package)
	case runner.RunDone:
		p.runDone(e)
	case runner.PackageDone:
		p.close()
		if e.Err != nil {
			p.app.progressf("[%d/%d] %s: not tested", e.Index, e.Packages, e.Package)
		}
	}
}

func (p *progress) runDone(e runner.Event) {
	if p.verbose && e.Run.Failed() {
		p.clear()
		p.app.progressf("%s run %d failed", e.Package, e.Run.N)
	}
	if !p.app.isTerminal() {
		if e.Done == e.Of || e.Elapsed-p.last >= 10*time.Second {
			p.last = e.Elapsed
			p.app.progressf("%s", p.line(e))
		}
		return
	}
	if p.bar == nil || p.pkg != e.Package {
		p.pkg = e.Package
		p.bar = progressbar.NewOptions(e.Of, progressbar.OptionSetWriter(p.app.stderr), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetWidth(20), progressbar.OptionThrottle(50*time.Millisecond))
	}
	p.bar.Describe(p.line(e))
	p.bar.Set(e.Done)
}

// line says how far the runs of a package have come.
func (p *progress) line(e runner.Event) string {
	s := fmt.Sprintf("[%d/%d] %s: %d of %d runs, %d failed", e.Index, e.Packages, e.Package, e.Done, e.Of, e.Failed)
	if e.Left > 0 {
		s += fmt.Sprintf(", about %s left", e.Left.Round(time.Second))
	}
	return s
}

func (p *progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// close takes the changing line away.
func (p *progress) close() {
	p.clear()
	p.bar = nil
}

// progressf writes a line of progress.
func (a *app) progressf(format string, args ...any) {
	fmt.Fprintf(a.stderr, format+"\n", args...)
}

// isTerminal reports whether stderr is a terminal that can redraw a line.
func (a *app) isTerminal() bool {
	if a.getenv("NO_COLOR") != "" || a.getenv("CI") != "" || a.getenv("TERM") == "dumb" {
		return false
	}
	return isTerminal(a.stderr)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
