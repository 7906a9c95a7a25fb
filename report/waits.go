package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"

	"github.com/fdebug/fdebug/trace"
)

// A hangView says who waited for what: in sentences, and as a table.
type hangView struct {
	Said   []prose
	Rows   []waitRow
	Benign []waitRow // goroutines that wait there in passing runs too
}

// A waitRow is a goroutine that waits, or several that wait alike.
type waitRow struct {
	Who, Where, Why, Passing prose
	Since                    string
	N                        int
	kind                     prose // Who, but for which of those started alike
}

const maxSaid = 8 // waits that are followed from one to the next

// hang returns who waited for what, nil if the failing runs did not hang.
func (v *viewer) hang(h *finding.Hang) *hangView {
	if h == nil || len(h.Waits) == 0 {
		return nil
	}
	w := &hangView{}
	told := make(map[int]bool)
	for i := 0; i >= 0 && i < len(h.Waits) && !toldAlike(h, told, i) && len(told) < maxSaid; {
		told[i] = true
		var next int
		w.Said, next = v.waitSaid(w.Said, h, i, len(told) == 1)
		i = next
	}
	if p := v.lockOrder(h); p != nil {
		w.Said = append(w.Said, p)
	}
	if h.Kind == finding.HangGaveUp && len(told) < len(h.Waits) {
		w.Said = append(w.Said, say("The table has who else waited when that check failed."))
	}
	for i := range h.Waits {
		if x := &h.Waits[i]; x.Benign {
			w.Benign = addRow(w.Benign, v.waitRow(h, x))
		} else {
			w.Rows = addRow(w.Rows, v.waitRow(h, x))
		}
	}
	return w
}

// toldAlike reports whether a wait was told, or one of another goroutine for the same at
// the same place.
func toldAlike(h *finding.Hang, told map[int]bool, i int) bool {
	for k := range told {
		if k == i || h.Waits[k].At == h.Waits[i].At && h.Waits[k].For == h.Waits[i].For {
			return true
		}
	}
	return false
}

// addRow appends a row, or counts it if there is one like it.
func addRow(rows []waitRow, r waitRow) []waitRow {
	for i := range rows {
		x := &rows[i]
		if x.kind.Plain() == r.kind.Plain() && x.Where.Plain() == r.Where.Plain() && x.Why.Plain() == r.Why.Plain() && x.Passing.Plain() == r.Passing.Plain() {
			x.N++
			x.Who = x.kind
			return rows
		}
	}
	return append(rows, r)
}

// waitSaid tells one wait, and returns which one to tell next: that of the
// goroutine that should have ended it, -1 if there is none.
func (v *viewer) waitSaid(said []prose, h *finding.Hang, i int, first bool) ([]prose, int) {
	w := &h.Waits[i]
	p := v.waits(w, h, first)
	said = append(said, p)
	if p := v.passed(h, w); p != nil {
		said = append(said, p)
	}
	next := -1
	if k := w.Waker; k != nil && !k.Timer {
		if p := v.fate(w, k); p != nil {
			said = append(said, p)
		}
		if k.Fate.State == finding.FateWaits {
			next = k.Fate.Wait
		}
	}
	for _, j := range w.Holders {
		if slices.Contains(h.LockOrder, i) && i != j {
			continue // that is told at once for all of them
		}
		said = append(said, v.holder(w, &h.Waits[j], i == j))
		if next < 0 {
			next = j
		}
	}
	for _, r := range w.Releasers {
		said = append(said, v.releaser(r))
	}
	for _, l := range w.Leaked {
		said = append(said, v.placeOf(say("A lock of that name, ").code(v.clean.line(l.Lock, 80)).text(", was locked at "), l.At).text(" and not unlocked on the way out of the function."))
	}
	return said, next
}

// releaser says in how many runs a statement was run that can end a wait.
func (v *viewer) releaser(r finding.Releaser) prose {
	p := v.placeOf(say("What can end it, by its name: ").code(shorten(v.clean.line(r.Code, 200), 60)).text(" ("), r.At)
	of := plural(r.FailOf, "failing run")
	if v.f != nil && r.FailOf < len(v.f.Runs) {
		of += " that hung"
	}
	said := ") was run in %d of %s, and by then in %d of %s."
	if r.Before {
		said = ") had been run in %d of %s when they came past here, and in %d of %s by then."
	}
	return p.text(fmt.Sprintf(said, r.Passing, plural(r.Of, "passing run"), r.Failing, of))
}

// waits says who waits where, for what and how long.
func (v *viewer) waits(w *finding.Wait, h *finding.Hang, first bool) prose {
	p := v.actor(w.By, true)
	since := waited(w.Since)
	switch {
	case first && h.Kind == finding.HangGaveUp && since != "":
		p = p.text(" waited ").bold(since)
	case first && h.Kind == finding.HangGaveUp:
		p = p.text(" waited")
	case first && since != "":
		p = p.text(" had waited ").bold(since)
	case first:
		p = p.text(" was waiting")
	case since != "":
		p = p.text(" has waited ").bold(since)
	default:
		p = p.text(" waits")
	}
	p = v.why(v.placeOf(p.text(" at "), w.At).text(" "), w)
	if !first {
		return p.text(".")
	}
	p = p.text(map[finding.HangKind]string{
		finding.HangTimeout:  fmt.Sprintf(" when failing run %d was stopped.", h.Run),
		finding.HangDeadlock: fmt.Sprintf(" when all goroutines of failing run %d were asleep.", h.Run),
		finding.HangGaveUp:   fmt.Sprintf(" in failing run %d, and gave up.", h.Run),
	}[h.Kind])
	if w.Polled > 0 {
		p = p.text(fmt.Sprintf(" It is one of many: a timer had ended %s there before, as in a loop that polls.", plural(w.Polled, "wait")))
	}
	if h.Failing > 1 {
		p = p.text(v.sameIn(w, h))
	}
	return p
}

// sameIn says in how many of all failing runs it is so. Those that were not seen to
// hang count too: of them it is not known.
func (v *viewer) sameIn(w *finding.Wait, h *finding.Hang) string {
	all := h.Failing
	if v.f != nil {
		all = max(all, len(v.f.Runs))
	}
	if w.Failing == all && h.Same < all {
		return fmt.Sprintf(" So it does in %s, but which others wait differs.", ofAll(all, all, "failing run"))
	}
	if w.Failing == all {
		return fmt.Sprintf(" Same in %s.", ofAll(all, all, "failing run"))
	}
	return fmt.Sprintf(" Seen in %s.", ofAll(w.Failing, all, "failing run"))
}

// why says what a wait is for.
func (v *viewer) why(p prose, w *finding.Wait) prose {
	reason := v.clean.line(w.Reason, 60)
	if w.For == "" {
		return p.text("(" + reason + ")")
	}
	p = p.text("for ").code(shorten(v.clean.line(w.For, 200), 80))
	if reason != "" {
		p = p.text(" (" + reason + ")")
	}
	return p
}

// passed says what became of a wait in passing runs, and who ended it.
func (v *viewer) passed(h *finding.Hang, w *finding.Wait) prose {
	switch {
	case h.Passing == 0:
		return nil
	case w.Past == 0 && w.Waiting == 0:
		return say("In passing runs no such goroutine came here.")
	case w.Past == 0:
		return say("In passing runs it waits here too.")
	}
	if w.Past == h.Passing && w.Within == 0 && !w.Bubble && !w.Kin { // others may have to wait here, this one had not
		return say("In no passing run did it have to wait here.")
	}
	it := " it"
	if w.Kin {
		it = " one of the goroutines started there"
	}
	p := say("In " + ofAll(w.Past, h.Passing, "passing run") + it + " came past here ")
	k := w.Waker
	switch {
	case w.Bubble && k == nil:
		return p.text("too.")
	case w.Bubble:
		p = p.text("too")
	case w.Within == 0:
		return p.text("and did not wait.")
	default:
		p = p.text("within ").bold(atMost(w.Within))
	}
	switch {
	case k == nil:
		return p.text(".")
	case k.Timer:
		return p.text(", when a timer fired" + ofWaited(w, k) + ".")
	}
	return v.act(p.text(": ").add(v.actor(k.By, false)).text(" ended the wait"), k).text(ofWaited(w, k) + ".")
}

// ofWaited says in how many of the runs that came past the wait was ended so, "" if in all.
func ofWaited(w *finding.Wait, k *finding.Waker) string {
	switch {
	case k.Runs < k.Of:
		return fmt.Sprintf(", in %d of the %d that had to wait", k.Runs, k.Of)
	case k.Of < w.Past && k.Of == 1:
		return ", in the one that had to wait"
	case k.Of < w.Past:
		return fmt.Sprintf(", in the %d that had to wait", k.Of)
	}
	return ""
}

// act says what the waker did.
func (v *viewer) act(p prose, k *finding.Waker) prose {
	code := shorten(v.clean.line(k.Code, 200), 60)
	switch {
	case k.At.File == "":
		return p
	case code == "" && k.Deferred:
		return v.placeOf(p.text(" on its way out, after "), k.At)
	case code == "":
		return v.placeOf(p.text(" at or right after "), k.At)
	}
	return v.placeOf(p.text(" with ").code(code).text(" ("), k.At).text(")")
}

// fate says what became of the waker in the failing run, nil if that is not known.
func (v *viewer) fate(w *finding.Wait, k *finding.Waker) prose {
	x := k.Fate
	who := say("Here that goroutine")
	if x.Kin {
		who = say("Here one of the goroutines started there")
	}
	at := func(p prose) prose {
		if x.At.File == "" {
			return p
		}
		return v.placeOf(p.text(" at "), x.At)
	}
	switch x.State {
	case finding.FateMissing:
		return say("Here there is no such goroutine.")
	case finding.FateEnded:
		return v.turn(at(who.text(" ended")).text(" without doing that"), x.Turn).text(".")
	case finding.FateWaits:
		return v.turn(at(who.text(" waits itself")), x.Turn).text(".")
	case finding.FateRuns:
		return at(who.text(" has not come to that: it was last seen")).text(", not waiting.")
	case finding.FateEarly:
		p := who.text(" had done that ").bold(duration2(x.Before)).text(" before the wait began")
		if w.Reason == "sync.Cond.Wait" {
			return p.text(": a signal that nobody waits for yet is lost.")
		}
		return p.text(".")
	case finding.FateLate:
		return who.text(" did that only after the wait had ended.")
	case finding.FateUnknown:
		return nil
	}
	return who.text(" did that too, and yet the wait went on.")
}

// turn says where a goroutine took another way, if it is known.
func (v *viewer) turn(p prose, t *finding.Turn) prose {
	if t == nil {
		return p
	}
	return v.placeOf(p.text("; it took another way at "), t.At).text(", one that no passing run had taken by then")
}

// holder says who holds a lock of the name that is waited for.
func (v *viewer) holder(w, other *finding.Wait, self bool) prose {
	i := slices.IndexFunc(other.Holds, func(l finding.HeldLock) bool { return lastPart(l.Lock) == lastPart(w.For) })
	if i < 0 {
		return nil
	}
	l := other.Holds[i]
	p := say("A lock of that name, ").code(v.clean.line(l.Lock, 80)).text(", is held by ")
	if self {
		return v.placeOf(p.text("the same goroutine, which locked it at "), l.At).text(".")
	}
	p = v.placeOf(p.add(v.actor(other.By, false)).text(", which locked it at "), l.At)
	return v.placeOf(p.text(" and waits at "), other.At).text(".")
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// lockOrder says that goroutines wait for locks while they hold others.
func (v *viewer) lockOrder(h *finding.Hang) prose {
	if len(h.LockOrder) < 2 {
		return nil
	}
	p := say(plural(len(h.LockOrder), "goroutine") + " wait for a lock while each holds one: ")
	var told []string
	for _, i := range h.LockOrder {
		q := v.holdsAndWaits(&h.Waits[i])
		if slices.Contains(told, q.Plain()) || len(told) == 3 {
			continue
		}
		if len(told) > 0 {
			p = p.text("; ")
		}
		p, told = p.add(q), append(told, q.Plain())
	}
	if len(told) == 1 {
		p = p.text(", each of them with locks of its own")
	}
	return p.text(". Locks that are taken in opposite orders wait for each other for ever.")
}

func (v *viewer) holdsAndWaits(w *finding.Wait) prose {
	l := w.Holds[len(w.Holds)-1]
	p := v.placeOf(prose{}.code(v.clean.line(l.Lock, 80)).text(" was locked at "), l.At)
	return v.placeOf(p.text(" and ").code(v.clean.line(w.For, 80)).text(" is waited for at "), w.At)
}

// waitRow is a row of the table.
func (v *viewer) waitRow(h *finding.Hang, w *finding.Wait) waitRow {
	r := waitRow{Who: v.actor(w.By, true), Where: v.placeOf(nil, w.At), Since: waited(w.Since), N: 1}
	if w.For != "" {
		r.Why = r.Why.code(shorten(v.clean.line(w.For, 200), 80)).text(" ")
	}
	r.Why = r.Why.text(v.clean.line(w.Reason, 60))
	for i, l := range w.Holds {
		r.Why = v.placeOf(r.Why.text(map[bool]string{true: "; holds ", false: ", "}[i == 0]).code(v.clean.line(l.Lock, 80)).text(" since "), l.At)
	}
	r.Passing = v.inPassing(h, w)
	kind := w.By
	kind.Nth, kind.Of = 0, 0
	r.kind = v.actor(kind, true)
	return r
}

// inPassing counts what became of a wait in passing runs.
func (v *viewer) inPassing(h *finding.Hang, w *finding.Wait) prose {
	if h.Passing == 0 || w.Past+w.Never+w.Waiting == 0 {
		return say("not known")
	}
	var parts []string
	if w.Past > 0 {
		s := fmt.Sprintf("went on in %d of %d", w.Past, h.Passing)
		if w.Within > 0 {
			s += " within " + atMost(w.Within)
		}
		parts = append(parts, s)
	}
	if w.Waiting > 0 {
		parts = append(parts, fmt.Sprintf("waited here too in %d of %d", w.Waiting, h.Passing))
	}
	if w.Never > 0 {
		parts = append(parts, fmt.Sprintf("never came here in %d of %d", w.Never, h.Passing))
	}
	return say(strings.Join(parts, ", "))
}

// actor names a goroutine; capital if it begins a sentence.
func (v *viewer) actor(a finding.Actor, capital bool) prose {
	if a.Root {
		return prose{}.code(v.testName())
	}
	the := theGoroutine(a.Nth, a.Of)
	if a.Of > 1 && a.Nth == 0 {
		the = "one of the goroutines"
	}
	the += " started at "
	if capital {
		the = strings.ToUpper(the[:1]) + the[1:]
	}
	at, own := v.src.frame(a.Started)
	switch {
	case own:
		p := v.place(say(the), at)
		if name := entryName(a.Entry); name != "" {
			p = p.text(" (").code(v.funcName(name)).text(")")
		}
		return p
	case a.Started.Func != "":
		return say(strings.TrimSuffix(the, "at ") + "by ").code(v.funcName(a.Started.Func))
	case capital:
		return say("Another goroutine")
	}
	return say("another goroutine")
}

// entryName returns the function a goroutine was started with, "" if that is
// one that the compiler made or has no name.
func entryName(entry string) string {
	last := entry[strings.LastIndexByte(entry, '.')+1:]
	if strings.HasPrefix(last, "gowrap") || strings.HasPrefix(last, "func") {
		return ""
	}
	return entry
}

func (v *viewer) placeOf(p prose, f trace.Frame) prose {
	at, ok := v.src.frame(f)
	if !ok && at.File == "" {
		return p.text("a place that is not known")
	}
	return v.place(p, at)
}

// ofAll says in how many runs: "all 41 passing runs", "3 of 41 passing runs".
func ofAll(k, n int, what string) string {
	switch {
	case k == n && n == 1:
		return "the one " + what
	case k == n:
		return "all " + plural(n, what)
	}
	return fmt.Sprintf("%d of %s", k, plural(n, what))
}

// waited says how long a goroutine waited, "" if that is not known. It is the time that it
// was parked; to come to that, and to make a timer before it, takes microseconds.
func waited(d time.Duration) string {
	if text := duration2(d); d >= time.Millisecond || text == "" {
		return text
	}
	return "at least " + duration2(d)
}

// duration2 returns d to two digits, "" for none.
func duration2(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return d.Round(unitOf(d)).String()
}

// atMost returns d to two digits, rounded up: it is a limit.
func atMost(d time.Duration) string {
	return roundUp(d, unitOf(d)).String()
}

// unitOf returns what d is rounded to.
func unitOf(d time.Duration) time.Duration {
	if d >= time.Minute {
		return time.Second
	}
	unit := time.Duration(1)
	for unit*100 <= d {
		unit *= 10
	}
	return unit
}

// SaidWaiting says in one line of plain text who waited for what, "" if the
// failing runs did not hang.
func SaidWaiting(r *finding.Result, t *finding.Test, f *finding.Failure) string {
	v := newViewer(r)
	v.t, v.f = t, f
	w := v.hang(f.Hang)
	if w == nil {
		return ""
	}
	var lines []string
	for _, p := range w.Said[:min(len(w.Said), 3)] {
		lines = append(lines, p.Plain())
	}
	return strings.Join(lines, " ")
}

// mdHang is who waited for what.
func mdHang(b *mdWriter, w *hangView) {
	if w == nil {
		return
	}
	b.part(b.gap() + "### Who waits\n\n")
	for _, p := range w.Said {
		b.part(p.Markdown() + "\n")
	}
	b.part("\n| goroutine | waits at | for | waited | in passing runs |\n|---|---|---|---|---|\n")
	for _, r := range append(append([]waitRow{}, w.Rows...), w.Benign...) {
		n := ""
		if r.N > 1 {
			n = fmt.Sprintf(" ×%d", r.N)
		}
		cells := []string{r.Who.Markdown() + n, r.Where.Markdown(), r.Why.Markdown(), r.Since, r.Passing.Markdown()}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(strings.ReplaceAll(c, "\\|", "|"), "|", "\\|")
		}
		b.part("| " + strings.Join(cells, " | ") + " |\n")
	}
	b.part("\n")
}
