package report

import (
	"math"

	"github.com/fdebug/fdebug/internal/finding"
)

// A DocumentHang says who waited for what in the failing runs of a
// DocumentFailure that hung.
type DocumentHang struct {
	Kind      string         `json:"kind"` // "timeout", "deadlock", "gave up", "leak"
	Run       int            `json:"run"`  // the failing run that is described
	Failing   int            `json:"failing"`
	Passing   int            `json:"passing"`
	Waits     []DocumentWait `json:"waits"`                // the test's own first, benign ones last
	LockOrder []int          `json:"lock_order,omitempty"` // indexes of waits for locks, by holders of others
}

// A DocumentWait is a goroutine that waited in the end.
type DocumentWait struct {
	Goroutine DocumentActor      `json:"goroutine"`
	At        DocumentRange      `json:"at"`
	Reason    string             `json:"reason,omitempty"`  // "chan receive", in the words of the runtime
	For       string             `json:"for,omitempty"`     // the operand
	Since     float64            `json:"since_s,omitempty"` // how long it had waited, in seconds
	Polled    int                `json:"polled,omitempty"`  // waits here before, which a timer had ended
	Holds     []DocumentHeldLock `json:"holds,omitempty"`
	Benign    bool               `json:"benign,omitempty"` // it waits there in most passing runs too
	Stuck     bool               `json:"stuck,omitempty"`  // nothing that was left could end the wait
	Failing   int                `json:"failing"`          // failing runs that end with this wait
	// Passing runs in which it came past here, never came here, waited here too.
	Past    int            `json:"passing_past"`
	Never   int            `json:"passing_never"`
	Waiting int            `json:"passing_waiting"`
	Within  float64        `json:"within_s,omitempty"` // the longest wait that came to an end there
	Waker   *DocumentWaker `json:"waker,omitempty"`
	// If there is no waker: statements that could have been it.
	Releasers []DocumentReleaser `json:"releasers,omitempty"`
	Holders   []int              `json:"holders,omitempty"` // waits whose goroutine holds a lock of this name
	Leaked    []DocumentHeldLock `json:"leaked,omitempty"`  // locks of this name that were never released
}

// A DocumentReleaser is a statement that can end a wait, by its kind and the name
// of its operand, and how many runs ran it.
type DocumentReleaser struct {
	At      DocumentRange `json:"at"`
	Code    string        `json:"code"`
	Passing int           `json:"passing"`
	Failing int           `json:"failing"`
}

// A DocumentActor is a goroutine: the test's own, or one that was started.
type DocumentActor struct {
	Test    bool           `json:"test,omitempty"`
	Started *DocumentRange `json:"started,omitempty"`
	Entry   string         `json:"entry,omitempty"`
}

// A DocumentHeldLock is a lock that was taken.
type DocumentHeldLock struct {
	Lock string        `json:"lock"`
	At   DocumentRange `json:"at"`
}

// A DocumentWaker is who ended a wait in passing runs, and what became of that
// goroutine in the failing run.
type DocumentWaker struct {
	Timer     bool           `json:"timer,omitempty"`
	Goroutine *DocumentActor `json:"goroutine,omitempty"`
	At        *DocumentRange `json:"at,omitempty"`
	Code      string         `json:"code,omitempty"`
	Runs      int            `json:"runs"`
	Of        int            `json:"of"`
	// "missing", "ended", "waits", "runs", "early", "late", "did", "unknown"
	Fate     string         `json:"fate,omitempty"`
	FateAt   *DocumentRange `json:"fate_at,omitempty"`
	Before   float64        `json:"before_s,omitempty"`  // if early: by how much, at least
	TurnedAt *DocumentRange `json:"turned_at,omitempty"` // if waits or ended: where it had taken another way
}

func (v *viewer) documentHang(h *finding.Hang) *DocumentHang {
	if h == nil {
		return nil
	}
	d := &DocumentHang{Kind: string(h.Kind), Run: h.Run, Failing: h.Failing, Passing: h.Passing,
		Waits: []DocumentWait{}, LockOrder: h.LockOrder}
	for i := range h.Waits {
		d.Waits = append(d.Waits, v.documentWait(&h.Waits[i]))
	}
	return d
}

func (v *viewer) documentWait(w *finding.Wait) DocumentWait {
	d := DocumentWait{
		Goroutine: v.documentActor(w.By), At: v.frameRange(w.At), Reason: v.clean.Line(w.Reason, 100),
		For: v.clean.Line(w.For, 500), Since: seconds(w.Since.Seconds()), Polled: w.Polled, Holders: w.Holders,
		Holds: v.documentHeldLocks(w.Holds), Stuck: w.Stuck, Failing: w.Failing, Past: w.Past, Never: w.Never,
		Waiting: w.Waiting, Within: seconds(w.Within.Seconds()), Benign: w.Benign, Leaked: v.documentHeldLocks(w.Leaked),
	}
	for _, r := range w.Releasers {
		d.Releasers = append(d.Releasers, DocumentReleaser{v.frameRange(r.At), v.clean.Line(r.Code, 500),
			r.Passing, r.Failing})
	}
	if k := w.Waker; k != nil {
		d.Waker = &DocumentWaker{Timer: k.Timer, Runs: k.Runs, Of: k.Of}
		if !k.Timer {
			by := v.documentActor(k.By)
			d.Waker.Goroutine, d.Waker.Code = &by, v.clean.Line(k.Code, 500)
			d.Waker.At, d.Waker.FateAt = v.rangeOf(k.At.File, v.frameRange(k.At)),
				v.rangeOf(k.Fate.At.File, v.frameRange(k.Fate.At))
			d.Waker.TurnedAt = v.rangeOf(k.Fate.Turn.File, v.frameRange(k.Fate.Turn))
			d.Waker.Fate, d.Waker.Before = string(k.Fate.State), seconds(k.Fate.Before.Seconds())
		}
	}
	return d
}

func (v *viewer) documentActor(a finding.Actor) DocumentActor {
	return DocumentActor{Test: a.Root, Started: v.rangeOf(a.Started.File, v.frameRange(a.Started)),
		Entry: v.clean.Line(a.Entry, 300)}
}

func (v *viewer) documentHeldLocks(held []finding.HeldLock) []DocumentHeldLock {
	var out []DocumentHeldLock
	for _, h := range held {
		out = append(out, DocumentHeldLock{v.clean.Line(h.Lock, 200), v.frameRange(h.At)})
	}
	return out
}

// rangeOf returns r, nil if there is no such file.
func (v *viewer) rangeOf(file string, r DocumentRange) *DocumentRange {
	if file == "" {
		return nil
	}
	return &r
}

// seconds rounds to microseconds.
func seconds(s float64) float64 { return math.Round(s*1e6) / 1e6 }
