package session

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
)

// tell shows a step of the runner.
func (j *Session) tell(e runner.Event) {
	switch {
	case e.Kind == runner.PackageDone && e.Err != nil:
		j.Progressf("%s: not tested", e.Package)
	case e.Kind == runner.RunDone && j.Verbose && e.Run.Failed():
		j.Progressf("%s run %d failed", e.Package, e.Run.N)
	}
	if e.Kind != runner.PackageDone {
		j.Statusf("%s", j.sofar(&e.Progress))
	}
}

// sofar says how far the runs have come, always on the same scale: packages until each has run
// once, then runs.
func (j *Session) sofar(p *runner.Progress) string {
	building := p.Begun < p.Packages && j.Builds()
	if building && p.Built == 0 {
		return fmt.Sprintf("building %s and, once, the standard library with the recorder",
			text.Plural(p.Packages, "package"))
	}
	var parts []string
	if building {
		parts = append(parts, fmt.Sprintf("%d of %s built, %d run", p.Built, text.Plural(p.Packages, "package"), p.Begun))
	} else {
		parts = append(parts, fmt.Sprintf("%d of %s", p.Done, text.Plural(p.Of, "run")))
	}
	if p.Packages > 1 && p.Rounds > 0 {
		parts = append(parts, fmt.Sprintf("round %d", p.Rounds+1))
	}
	parts = append(parts, fmt.Sprintf("%d failed", p.Failed))
	if p.Left > 0 {
		parts = append(parts, fmt.Sprintf("about %v left", text.Rounded(max(p.Left, time.Second))))
	}
	return strings.Join(parts, ", ")
}

// A HuntProgress shows what a hunt is doing.
type HuntProgress struct {
	*Console
	Until time.Time // when it ends at the latest, zero if that is not known
}

// Event is called by experimenters.
func (p *HuntProgress) Event(e experiment.Progress) {
	line := e.Test + ": " + cmp.Or(e.Doing, "plain runs")
	switch {
	case e.Found:
		p.Progressf("%s: found: %s, %s", e.Test, e.Doing, text.Plural(e.Runs, "run"))
		return
	case e.Confirms:
		line = e.Test + ": confirming"
	case e.Of > 0:
		line += fmt.Sprintf(" %d of %d", e.Done, e.Of)
	}
	line += ", " + text.Plural(e.Runs, "run")
	if !p.Until.IsZero() {
		line += fmt.Sprintf(", at most %v left", text.Rounded(max(time.Until(p.Until), time.Second)))
	}
	p.Statusf("%s", line)
}
