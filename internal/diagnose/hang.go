package diagnose

import (
	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var hangRule = Rule{
	Name: "hang",
	Doc: `Who should have ended the waits in which failing runs end. Locks are taken in a
circle, held by the waiting goroutine, or never released. Or the goroutine that
ends the same wait in passing runs did not come to it. What made that goroutine
end, as FailNow or a panic does, comes first.`,
	find: hangs,
	claims: []Claim{
		{Kind: finding.ReasonLockOrder, Category: "timeout"},
		{Kind: finding.ReasonSelfLock, Category: "timeout"},
		{Kind: finding.ReasonLeakedLock, Category: "timeout"},
		{Kind: finding.ReasonNeverEnds, of: endedBy},
		{Kind: finding.ReasonTooEarly},
		{Kind: finding.ReasonTurned},
		{Kind: finding.ReasonEndsWait},
		{Kind: finding.ReasonWaits},
		{Kind: finding.ReasonGaveUp},
		{Kind: finding.ReasonWaited},
	},
}

func hangs(s *scene) []finding.Suspect {
	h := s.Failure.Hang
	if h == nil {
		return nil
	}
	w := &waits{scene: s, hang: h}
	for _, i := range h.LockOrder {
		w.lockOrder(&h.Waits[i])
	}
	told := make(map[int]bool)
	for i := 0; i >= 0 && i < len(h.Waits) && !told[i] && !h.Waits[i].Benign; {
		told[i] = true
		i = w.wait(i, finding.Link(max(int(finding.Decides)-len(told)+1, 0)))
	}
	return w.list
}

// waits collects hypotheses about the waits of a hang, from the test's own to the
// one at the root.
type waits struct {
	*scene
	hang *finding.Hang
	list []finding.Suspect
}

func (w *waits) add(f trace.Frame, class finding.Class, link finding.Link, r finding.Reason, explains ...trace.Frame) {
	e := finding.Evidence{Class: class}
	if class == finding.Associated {
		e = finding.Counted(r.Runs)
	}
	e.Link = link
	for _, x := range explains {
		e.Explains = append(e.Explains, w.rel(x))
	}
	w.list = append(w.list, at(line(w.rel(f)), e, r))
}

func (w *waits) lockOrder(wait *finding.Wait) {
	held := wait.Holds[len(wait.Holds)-1]
	w.add(wait.At, finding.Mechanism, finding.Decides, finding.Reason{Kind: finding.ReasonLockOrder, Code: wait.For, Held: held.Lock, Other: w.rel(held.At)})
}

// wait takes in one wait, and returns that of the goroutine which should have ended
// it, -1 if it is in none.
func (w *waits) wait(i int, link finding.Link) int {
	x := &w.hang.Waits[i]
	w.add(x.At, finding.Symptom, finding.Unlinked, finding.Reason{Kind: w.kind(i), Code: x.For, Seen: x.Failing, Of: max(w.hang.Failing, len(w.Failure.Runs))})
	for _, j := range x.Holders {
		if i == j {
			w.add(x.At, finding.Mechanism, link, finding.Reason{Kind: finding.ReasonSelfLock, Code: x.For})
		}
	}
	for _, l := range x.Leaked {
		w.add(l.At, finding.Mechanism, link, finding.Reason{Kind: finding.ReasonLeakedLock, Code: l.Lock}, x.At)
	}
	for _, r := range x.Releasers {
		// Counted are runs that ran it; what separates is that failing runs did not.
		t := divergence.Table{FailTaken: r.FailOf - r.Failing, FailNot: r.Failing, PassTaken: r.Of - r.Passing, PassNot: r.Passing}
		if r.By != "" {
			w.madeToEnd(r.Ended, link, finding.Reason{Kind: finding.ReasonNeverEnds, Other: w.rel(x.At), Code: r.Code, By: r.By})
		}
		w.add(r.At, finding.Associated, min(link, finding.Feeds), finding.Reason{Kind: finding.ReasonEndsWait, Other: w.rel(x.At), Code: r.Code, Runs: t, Before: r.Before})
	}
	k := x.Waker
	if k == nil || k.Timer {
		return -1
	}
	w.waker(x, k, link)
	return k.Fate.Wait
}

// kind says what a wait was when the failing runs ended, or failed.
func (w *waits) kind(i int) finding.ReasonKind {
	switch {
	case w.hang.Kind != finding.HangGaveUp:
		return finding.ReasonWaits
	case i == 0:
		return finding.ReasonGaveUp
	}
	return finding.ReasonWaited
}

// waker takes in who ended a wait in passing runs, and what became of it.
func (w *waits) waker(x *finding.Wait, k *finding.Waker, link finding.Link) {
	if k.Fate.By != "" {
		w.madeToEnd(k.Fate.At, link, finding.Reason{Kind: finding.ReasonNeverEnds, Other: w.rel(x.At), Code: k.Code, By: k.Fate.By})
	}
	if t := k.Fate.Turn; t != nil {
		w.add(t.At, finding.Mechanism, link, finding.Reason{Kind: finding.ReasonTurned, Other: w.rel(x.At), Code: k.Code})
	}
	switch {
	case k.Fate.State == finding.FateEnded && k.Fate.By == "" && !k.Fate.Kin: // another one that was started alike need not end the wait
		w.add(k.Fate.At, finding.Mechanism, link, finding.Reason{Kind: finding.ReasonNeverEnds, Other: w.rel(x.At), Code: k.Code})
	case k.Fate.State == finding.FateEarly && !k.Fate.Kin:
		w.add(x.At, finding.Mechanism, link, finding.Reason{Kind: finding.ReasonTooEarly, Code: k.Code, Other: w.rel(k.At)})
	}
	w.add(k.At, finding.Associated, min(link, finding.Mentions), finding.Reason{Kind: finding.ReasonEndsWait, Other: w.rel(x.At), Code: k.Code})
}

// madeToEnd takes in where a goroutine was made to end before it ended a wait. That is the cause, whatever brought it about:
// an experiment that has is shown by it, and comes after it.
func (w *waits) madeToEnd(f trace.Frame, link finding.Link, r finding.Reason) {
	w.add(f, finding.Mechanism, link, r)
	x := &w.list[len(w.list)-1]
	for i := range w.Test.Verdicts {
		v := &w.Test.Verdicts[i]
		if v.Class() != finding.Proved || v.Proof.Artefact != "" || !v.About(w.Failure) {
			continue
		}
		x.Evidence, x.Reason.Verdict = shown(v), v
		x.Link = link
		for _, p := range w.places(v, x.Evidence) {
			x.Explains = append(x.Explains, trace.Frame{File: p.File, Line: p.Start})
		}
		return
	}
}

// endedBy returns the category of a wait that nobody ends, if it is known what made the goroutine end that should.
func endedBy(r *finding.Reason) string {
	if r.By != "" {
		return "timeout"
	}
	return ""
}
