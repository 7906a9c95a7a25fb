package session

import (
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/schollz/progressbar/v3"
)

// A progress shows how far a run has come: as one line that changes on a
// terminal, otherwise as a line now and then.
type progress struct {
	*Console
	verbose bool
	ready   bool                     // nothing is built: the binaries come in a bundle
	bar     *progressbar.ProgressBar // nil without a terminal
	pkg     string                   // package that bar is for
	last    time.Duration            // when the last line was written
}

func (j *Session) newProgress(verbose bool) *progress {
	return &progress{Console: j.Console, verbose: verbose, ready: j.Bundle != nil}
}

// event is called by the runner.
func (p *progress) event(e runner.Event) {
	switch e.Kind {
	case runner.Building:
		if p.close(); p.ready {
			return
		}
		p.Progressf("[%d/%d] building %s", e.Index, e.Packages, e.Package)
	case runner.RunDone:
		p.runDone(e)
	case runner.PackageDone:
		p.close()
		if e.Err != nil {
			p.Progressf("[%d/%d] %s: not tested", e.Index, e.Packages, e.Package)
		}
	}
}

func (p *progress) runDone(e runner.Event) {
	if p.verbose && e.Run.Failed() {
		p.clear()
		p.Progressf("%s run %d failed", e.Package, e.Run.N)
	}
	if !p.isTerminal() {
		if e.Done == e.Of || e.Elapsed-p.last >= 10*time.Second {
			p.last = e.Elapsed
			p.Progressf("%s", p.line(e))
		}
		return
	}
	if p.bar == nil || p.pkg != e.Package {
		p.pkg = e.Package
		p.bar = progressbar.NewOptions(e.Of, progressbar.OptionSetWriter(p.Stderr), progressbar.OptionClearOnFinish(),
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

// A HuntProgress shows what a hunt is doing.
type HuntProgress struct {
	*Console
	last  time.Time
	shown bool // a line that changes is on the terminal
}

// Event is called by experimenters.
func (p *HuntProgress) Event(e experiment.Progress) {
	line := fmt.Sprintf("%s: %s", e.Test, e.Step)
	if e.Of > 0 {
		line += fmt.Sprintf(" %d of %d", e.Done, e.Of)
	}
	line += fmt.Sprintf(", %s", text.Plural(e.Runs, "run"))
	found := strings.HasPrefix(e.Step, "found")
	switch {
	case found:
		p.Close()
		p.Progressf("%s", line)
	case p.isTerminal():
		if time.Since(p.last) > 50*time.Millisecond {
			p.last, p.shown = time.Now(), true
			fmt.Fprintf(p.Stderr, "\r\033[K%s", text.Clip(line, 100))
		}
	case time.Since(p.last) > 10*time.Second:
		p.last = time.Now()
		p.Progressf("%s", line)
	}
}

// Close takes the changing line away.
func (p *HuntProgress) Close() {
	if p.shown {
		fmt.Fprint(p.Stderr, "\r\033[K")
		p.shown = false
	}
}
