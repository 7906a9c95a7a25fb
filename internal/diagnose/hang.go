package diagnose

import (
	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var hangRule = Rule{
	Name: "hang",
	Doc: `Who should have ended the waits in which failing runs end. Goroutines wait for
each other's locks. Or the goroutine that ends the same wait in passing runs has
ended.`,
	find: hangs,
}

// A circle is a reason about a lock that is waited for, while another one is held at the other place.
type circle struct {
	named
	held string
}

func (r circle) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	v := r.values(s, c)
	v.name, v.lock = c.Name(r.named.name), c.Name(r.held)
	w := r.words(v)
	w.Other = marked(r.other, say.MarkHolds.With(v.lock))
	return w
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

func (w *waits) add(f trace.Frame, e finding.Evidence, link finding.Link, r finding.Reason) {
	e.Link = link
	w.list = append(w.list, at(line(w.rel(f)), e, r))
}

// seen is the evidence of an event that was seen.
var seen = finding.Evidence{Class: finding.Mechanism}

// about is a reason of a kind about a wait.
func (w *waits) about(k kind, other trace.Frame) reason { return reason{k, w.rel(other)} }

func (w *waits) lockOrder(wait *finding.Wait) {
	held := wait.Holds[len(wait.Holds)-1]
	w.add(wait.At, seen, finding.Decides, circle{named{w.about(whyLockOrder, held.At), wait.For}, held.Lock})
}

// wait takes in one wait, and returns that of the goroutine which should have ended
// it, -1 if it is in none.
func (w *waits) wait(i int, link finding.Link) int {
	x := &w.hang.Waits[i]
	w.list = append(w.list, seenIn(x.Failing, max(w.hang.Failing, len(w.Failure.Runs)),
		at(line(w.rel(x.At)), finding.Evidence{Class: finding.Symptom}, w.about(w.kind(i), trace.Frame{}))))
	k := x.Waker
	if k == nil {
		return -1
	}
	w.waker(x, k, link)
	return k.Next
}

// kind returns the kind of a wait by the end of the failing runs.
func (w *waits) kind(i int) kind {
	switch {
	case w.hang.Waits[i].Stuck:
		return whyStuck
	case w.hang.Kind == finding.HangLeak:
		return whyWaited
	}
	return whyWaits
}

// waker takes in the goroutine that ended a wait in passing runs, and its fate.
func (w *waits) waker(x *finding.Wait, k *finding.Waker, link finding.Link) {
	switch {
	case k.FailNow:
		w.add(k.Ended, seen, link, w.about(whyFailNow, x.At))
	case k.Ended.File != "":
		w.add(k.Ended, seen, link, w.about(whyNeverEnds, x.At))
	}
	w.add(k.At, finding.Counted(divergence.Table{}), min(link, finding.Mentions), w.about(whyEndsWait, x.At))
}
