package report

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// What is said of a check that relies on an order is what was counted, and by what the order
// of the map is known to matter.
func TestAssertedWords(t *testing.T) {
	const seen = "keys is compared in order here, and nothing sorts it before in this function, as far as the source shows; in 7 of 7 failing runs in which keys was recorded it had the elements that it had in some passing run, in an order that it had in none; "
	reason := finding.Reason{Kind: finding.ReasonAsserted, Code: "keys", Seen: 7, Of: 7, Then: trace.Frame{File: "a/b.go", Line: 7}, Source: "map order"}
	proved, varies, within := reason, reason, reason
	proved.Verdict = &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 4, Of: 20}}}}
	varies.Data = &finding.DataDivergence{Kind: finding.DataVaries}
	within.Within = true
	later := varies
	later.Since = 9
	for _, c := range []struct {
		reason finding.Reason
		want   string
	}{
		{proved, seen + "with what is chosen at random at b.go:7 (map) fixed to one choice the test failed in 20 of 20 runs, with nothing changed in 4 of 20"},
		{varies, seen + "it may depend on map order at b.go:7, which differs from run to run"},
		{within, "a list in " + seen + "it may depend on map order at b.go:7, which differs from run to run"},
		{later, "keys, which is made or changed from here on, is compared in order at line 9" + strings.TrimPrefix(seen, "keys is compared in order here") + "it may depend on map order at b.go:7, which differs from run to run"},
	} {
		if got := Why(&finding.Suspect{Start: 6, Reason: c.reason}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
