package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

var hangRule = Rule{
	Name: "hang",
	Doc: `What failing runs wait for in the end. Goroutines wait for each other's locks,
or FailNow has ended a goroutine that is not the test's own.`,
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

func hangs(s *scene) (list []finding.Suspect) {
	h := s.Failure.Hang
	if h == nil {
		return nil
	}
	e := finding.Evidence{Class: finding.Mechanism, Link: finding.Decides} // that was seen
	for _, i := range h.LockOrder {
		w := &h.Waits[i]
		held := w.Holds[len(w.Holds)-1]
		why := circle{named{reason{whyLockOrder, s.rel(held.At)}, w.For}, held.Lock}
		list = append(list, at(line(s.rel(w.At)), e, why))
	}
	w := &h.Waits[0]
	if w.Benign {
		return list
	}
	list = append(list, seenIn(w.Failing, max(h.Failing, len(s.Failure.Runs)),
		at(line(s.rel(w.At)), finding.Evidence{Class: finding.Symptom}, reason{kind: waitKind(h, w)})))
	if h.FailNow.File != "" {
		list = append(list, at(line(s.rel(h.FailNow)), e, reason{whyFailNow, s.rel(w.At)}))
	}
	return list
}

// waitKind returns the kind of a wait by the end of the failing runs.
func waitKind(h *finding.Hang, w *finding.Wait) kind {
	switch {
	case w.Stuck:
		return whyStuck
	case h.Kind == finding.HangLeak:
		return whyWaited
	}
	return whyWaits
}
