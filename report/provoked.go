package report

import (
	"fmt"

	"github.com/fdebug/fdebug/internal/finding"
)

// SaidProvoked is what stands where the rate would, of a test whose failures fdebug has
// provoked; "" of any other.
func SaidProvoked(r *finding.Result, t *finding.Test) string {
	v := newViewer(r)
	v.t = t
	return v.provoked(count(t.Runs)).Plain()
}

// allProvoked reports whether all failing runs of the test were made to fail.
func (v *viewer) allProvoked() bool {
	return v.t != nil && count(v.t.Runs).allProvoked()
}

// provoked is what stands where the rate would, of a test whose failures fdebug has
// provoked; nil of any other.
func (v *viewer) provoked(c counts) prose {
	if !c.allProvoked() {
		return nil
	}
	if len(v.t.Verdicts) > 0 && v.t.Verdicts[0].Proof.Always {
		d := &v.t.Verdicts[0]
		return say("With nothing changed it failed in ").bold(fmt.Sprintf("%d of %s", d.Proof.Confirmed.With.Failed+d.Proof.Confirmed.Plain.Failed, plural(d.Proof.Confirmed.With.Of+d.Proof.Confirmed.Plain.Of, "run"))).text(".")
	}
	by := c.Failed - c.Alone
	if by == 0 { // each time it was alone
		by = c.Failed
	}
	p := say("Provoked by fdebug in ").bold(plural(by, "run")).text("; ")
	if len(v.t.Verdicts) > 0 && v.t.Verdicts[0].Proof.Confirmed.Plain.Of > 0 {
		d := v.t.Verdicts[0].Proof.Confirmed.Plain
		how := "with nothing changed"
		if len(v.t.Verdicts[0].Tests()) > 0 { // the plain runs are of the test alone, or of all
			how = "without " + these(&v.t.Verdicts[0])
			if v.t.Verdicts[0].Needs() {
				how = "with all tests, in one order,"
			}
		}
		p = p.text(fmt.Sprintf("%s it failed in %d of %s.", how, d.Failed, plural(d.Of, "run")))
		if d.Failed > 0 { // that is how often, as far as it was tried
			return p
		}
	} else {
		p = p.text(fmt.Sprintf("%s with nothing changed passed.", plural(c.Passed, "run")))
	}
	return p.text(" How often it fails by itself is not known.")
}
