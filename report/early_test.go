package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// Who comes too early while a goroutine is held is told with the runs that show it, and the advice is for that one.
func TestEarlySaid(t *testing.T) {
	f := newFixture(t)
	f.file("m.go", "package m\n\nfunc look() {\n\tuse(x)\n}\n")
	d := &finding.Verdict{
		Class: finding.Proved, Category: "async-wait", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Sham: finding.Count{Of: 20}, Plain: finding.Count{Of: 20}}},
		Started: trace.Frame{File: "queue/queue.go", Line: 31}, At: finding.Span{File: "queue/queue.go", Start: 37, End: 37}, Window: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37}},
		Early: &finding.Early{At: finding.Span{File: "m.go", Start: 4, End: 4}, Visit: 2, Root: true, Held: finding.Count{Failed: 1, Of: 20}},
	}
	v := newViewer(f.result(f.queue()))
	said := func(want string) {
		t.Helper()
		if got := v.verdictSaid(d).Plain(); !strings.HasSuffix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	advised := func(want string) {
		t.Helper()
		if got := v.fix(d)[0].Plain(); !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	said(" With the test's own goroutine held too, for longer, at use(x) (m.go:4) (the 2nd time), it failed in 1 of 20: what that does from there on comes too early.")
	advised("Let the test wait before use(x) (m.go:4) (the 2nd time) until what the goroutine started at queue/queue.go:31 does, or leads to, has been done.")
	var labels []string
	for _, b := range v.bars(d) {
		labels = append(labels, b.Label)
	}
	if want := []string{"held here", "held elsewhere", "other held too", "nothing changed"}; !slices.Equal(labels, want) {
		t.Errorf("bars %q, want %q", labels, want)
	}
	why := Why(&finding.Suspect{File: "m.go", Start: 4, End: 4, Reason: finding.Reason{Kind: finding.ReasonHeldToo, Verdict: d}})
	if want := "what comes here, and goes on, is too early: with a goroutine held at queue.go:37 the test failed in 20 of 20 runs, with another one held here too, for longer, in 1 of 20"; why != want {
		t.Errorf("got  %s\nwant %s", why, want)
	}

	d.Early.Root, d.Early.Started, d.Early.Visit = false, trace.Frame{File: "queue/queue_test.go", Line: 11}, 1
	said(" With a goroutine started at queue/queue_test.go:11 held too, for longer, at use(x) (m.go:4), it failed in 1 of 20: what that does from there on comes too early.")
	advised("Let use(x) (m.go:4) come only after q.done.Store(true) (queue/queue.go:37) and what follows there, as far as that is needed: wait for that")
	d.Proof.FromStart = true // what it begins with may be a go statement, after which nothing has been done yet
	advised("Let use(x) (m.go:4) come only after what the goroutine started at queue/queue.go:31 does or leads to, as far as that is needed: wait for that")
	d.Proof.FromStart = false
	d.Early.Started = d.Started
	said(" With another goroutine started at queue/queue.go:31 held too, for longer, at use(x) (m.go:4), it failed in 1 of 20: what that does from there on comes too early.")

	d.Early = nil
	said("the test fails: in 20 of 20 runs.")
}
