package session

import (
	"context"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// subtest returns the only subtest of a target that failed, if the rest of its test takes longer; else "". It may then be
// run alone, which takes less time.
func (t *target) subtest() (name string) {
	for _, sig := range t.Fail {
		if !strings.HasPrefix(sig.Test, t.Name+"/") || name != "" && sig.Test != name {
			return ""
		}
		name = sig.Test
	}
	var own, all time.Duration
	for _, run := range t.Pkg.Runs {
		if o, whole := run.Outcome(name), run.Outcome(t.Name); o != nil && whole != nil {
			own, all = own+o.Elapsed, all+whole.Elapsed
		}
	}
	if all < 2*own || all == 0 {
		return ""
	}
	return name
}

const (
	// enoughAlone times as many runs as it takes to see one failure on average show one in 19 of 20 cases.
	enoughAlone = 3
	mostAlone   = 100
)

// narrow has experiments run the subtest alone that failed, if it fails about as often then. Without others it may not.
func (x *experimentJob) narrow(ctx context.Context, t *target) error {
	name := t.subtest()
	if name == "" || strings.Contains(x.Sel.Run, "/") {
		return nil
	}
	var among proof.Count
	for _, r := range t.exp.Recorded {
		among.Of++
		if r.Failed {
			among.Failed++
		}
	}
	if among.Failed == 0 {
		return nil
	}
	t.lab.below = strings.TrimPrefix(finding.RunPattern(name), finding.RunPattern(t.Name))
	alone, err := t.exp.Plain(ctx, min(enoughAlone*among.Of/among.Failed, mostAlone))
	if err != nil || alone.Failed == 0 || proof.Chance(alone, among) < proof.ShamDiffers {
		t.lab.below, t.exp.Log = "", nil
	}
	return err
}
