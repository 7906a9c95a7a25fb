package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// A fixer says in three lines how a flake of some category is usually fixed, with the
// names of the code at hand. The rest is in templates/advice.
type fixer struct {
	v     *viewer
	d     *finding.Verdict // what was shown
	first prose            // the first place that it acts at, as code with its place; nil if there is none
	last  prose            // the last place
	cure  prose            // where holding makes it pass, in the place of what is held
	early prose            // likewise, beside it
	start prose            // the go statement of what is held
}

// fix returns the three lines for a verdict, none if it has no category.
func (v *viewer) fix(d *finding.Verdict) []prose {
	f := &fixer{v: v, d: d}
	if n := len(d.Window); n > 0 {
		f.first, f.last = v.spanPlace(nil, d.Window[0]), v.spanPlace(nil, d.Window[n-1])
		switch {
		case d.Ordered():
			f.first, f.last = f.first.text(v.visitWords(d, 0)), f.last.text(v.visitWords(d, 1))
		case n == 1 && d.At == d.Window[0]:
			f.first, f.last = f.first.text(v.visitWords(d, 0)), f.last.text(v.visitWords(d, 0))
		}
	}
	if d.Cures() {
		f.cure = v.spanPlace(nil, d.Cure[0]).text(v.timeWords(d.CureVisit, d.Cure[0]))
	}
	if e := d.Early; e != nil {
		f.early = v.spanPlace(nil, e.At).text(v.timeWords(e.Visit, e.At))
	}
	if d.Ordered() { // what comes too soon is what must wait
		f.cure = f.first
	}
	if d.Started.File != "" {
		f.start = v.place(say("the goroutine started at "), v.framePlace(d.Started))
	}
	if len(d.Settings()) > 0 {
		return f.setting()
	}
	switch d.Category {
	case "async-wait":
		return f.asyncWait()
	case "concurrency":
		return f.concurrency()
	case "unordered-collections", "floating-point":
		return f.order()
	case "randomness":
		return f.randomness()
	case "test-order":
		return f.tests()
	case "time":
		return f.passing()
	}
	return nil
}

// or returns p, or words where there is none.
func or(p prose, words string) prose {
	if p == nil {
		return say(words)
	}
	return p
}

// tooSoon is where holding another goroutine makes it pass; nil if that is not known.
func (f *fixer) tooSoon() prose {
	if f.cure != nil {
		return f.cure
	}
	return f.early
}

// inInit reports whether a frame is in an init function, or in the initialization of package variables.
func inInit(f trace.Frame) bool {
	name := f.Func[strings.LastIndexByte(f.Func, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	return trace.InInit(name)
}

// asyncWait: the goroutine that is held is not waited for.
func (f *fixer) asyncWait() []prose {
	if f.d.Kind() == "rand" { // for how long somebody sleeps
		return []prose{
			say("For how long ").add(or(f.first, "the place named")).text(" waits is drawn, and tells the outcome: whether something else has been done by then is left to time."),
			say("Find what the failed check looks at, and who does it: close a channel or call WaitGroup.Done right after, and receive from it, or call Wait, before the check. If that is waited for already, see what is given up or dropped meanwhile: where a buffer is full, at a default, after a limit of time."),
			say("A fixed time in place of the one that is drawn is no fix: it has one outcome here, and may have the other on a busy machine."),
		}
	}
	if inInit(f.d.Started) {
		return []prose{
			slices.Clone(or(f.start, "the goroutine that comes late")).capital().text(" is started while the package is initialized: whoever uses the package may come before what it does."),
			say("Let what it does be done before init returns, without a goroutine, or in a sync.Once that every use goes through."),
			say("To wait in the test is no fix: those who use the package don't."),
		}
	}
	if f.early != nil && !f.d.Early.Root { // it is not the test that comes too early
		return f.concurrency()
	}
	s := f.v.firstOf(f.d)
	if s != nil && s.Reason.Waited.File != "" {
		return f.notKnownFor(s)
	}
	wait := say("Let the test wait")
	switch {
	case s != nil && s.Reason.Kind == finding.ReasonSleepHeld:
		wait = say("In place of ").add(f.v.codeOf(trace.Frame{File: s.File, Line: s.Start})).text(" let the test wait")
	case f.tooSoon() != nil:
		wait = wait.text(" before ").add(f.tooSoon())
	}
	until := wait.text(" until what ").add(or(f.start, "the goroutine that comes late")).text(" does, or leads to, has been done.")
	if f.d.Ordered() {
		until = wait.text(" until ").add(f.done()).text(".")
	}
	return []prose{
		until,
		say("Let who does it say so right after: close a channel or call WaitGroup.Done, and wait for that; else poll, for seconds."),
		say("A sleep, or a longer one, is no fix: a hold longer than it makes the test fail again."),
	}
}

// notKnownFor is the advice where something was waited for, and the source does not tell for whom: it may have been
// another goroutine that was started alike, and then one wait more would be for ever.
func (f *fixer) notKnownFor(s *finding.Suspect) []prose {
	who := or(f.start, "the goroutine that comes late")
	return []prose{
		say("See who ends the wait at ").add(f.v.codeOf(s.Reason.Waited)).text(". If that may be another goroutine than ").add(who).text(", as one of several that are started there, their order decides: expect none here, or let what the first one does be done before the next is started."),
		say("If nothing waits for ").add(who).text(", let the test wait until what it does, or leads to, has been done: for a channel that is closed right after, or a WaitGroup."),
		say("A sleep, or a longer one, is no fix: a hold longer than it makes the test fail again."),
	}
}

// done says what must have been done by the goroutine that comes too late.
func (f *fixer) done() prose {
	x := f.d.Past
	switch {
	case x == nil || !x.Ended && x.At.File == "":
		return slices.Clone(f.last).text(" has been done (with what follows there, as far as that is needed)")
	case x.Ended:
		return slices.Clone(f.last).text(" has been done, and all that follows there to the goroutine's end")
	}
	return f.v.spanPlace(slices.Clone(f.last).text(" has been done, and what follows there until "), x.At).text(f.v.timeWords(x.Visit, x.At))
}

// noSleep says what does not mend an order that is missing.
func noSleep() prose {
	return say("A sleep or a retry in the test is no fix: it makes that rarer, and orders nothing.")
}

// concurrency: what goes on in the window is not one step, or nothing waits for it.
func (f *fixer) concurrency() []prose {
	no := noSleep()
	if f.d.Ordered() {
		whole := say("Where either may come first, do what must not be divided as one step: under one lock, held over all of it.")
		if f.d.Alike() { // which of them is first can't matter
			again := say("If that is too long to hold a lock, check again under the lock that is held for the write, and use what is found there.")
			return []prose{whole, again, no}
		}
		return []prose{
			say("See that ").add(f.done()).text(" before ").add(f.first).text(": wait for that with a channel, a WaitGroup or a condition, not for a time, and with no lock held that the other needs."),
			whole, no,
		}
	}
	if !f.d.Held() || f.d.ChosenKinds() == "select" {
		return f.chosen(no)
	}
	from, to := f.section()
	if from != nil {
		if late := f.late(no); late != nil {
			return late
		}
	}
	switch {
	case from != nil && f.cure != nil: // to hold it before that passes, and before to fails
		return f.oneStep(say("If nothing may come between ").add(from).text(" and what follows ").add(to).text(", do both as one step: under one lock, held over them"), no)
	case from != nil: // from the first place on at which to hold it fails
		return f.oneStep(say("If nothing may come between what is just before ").add(from).text(" and what comes from ").add(to).text(" on, do both as one step: under one lock, held over them"), no)
	case f.cure != nil && f.d.CureOwn && started(f.d): // two that do the same
		return []prose{
			say("The test passes if ").text(ownWords(f.d)).text(" is held at ").add(f.cure).text(" instead: most likely what one of them does must not come between two steps of another one. Let each do what belongs together in one step, under one lock that is held over all of it; or, if that is too long, look again under the lock that is held for the write, and use what is found there."),
			say("If something of another goroutine must have been done by then, wait for that (channel, WaitGroup.Wait)."), no,
		}
	case f.cure != nil && f.d.CureOwn: // who can't wait for itself
		return []prose{
			say("The test passes if ").text(ownWords(f.d)).text(" is held at ").add(f.cure).text(" instead: something must have happened by then. What another goroutine does, wait for there (channel, WaitGroup.Wait)."),
			say("If it is time that must pass, let the test set the clock that the code reads."), no,
		}
	case f.early != nil && !f.d.Early.Root:
		return []prose{
			say("Let ").add(f.early).text(" come only after ").add(f.heldDoes()).text(": wait for that (a channel that is closed after it, WaitGroup.Wait); or, of data that both use, make what must not be divided one step, under one lock that both take."),
			say("If either may come first, the code or the test must cope with both orders."), no,
		}
	case f.tooSoon() != nil:
		wait := say("If not, let ").add(f.tooSoon()).text(" wait for ").add(f.heldDoes()).text(": for a channel that is closed after it, or with WaitGroup.Wait, with no lock held that the other needs")
		if f.start != nil {
			wait = wait.text("; or let what ").add(f.start).text(" does be done without a goroutine, if nothing is to go on meanwhile")
		}
		return []prose{
			say("If either may come first, the code or the test must cope with both orders."),
			wait.text("."), no,
		}
	case f.d.Proof.FromStart && f.start != nil:
		return []prose{
			say("What ").add(f.start).text(" does must be waited for by whoever needs it: with a channel that is closed after it, or WaitGroup.Wait; or be done without a goroutine, if nothing is to go on meanwhile. The test fails if that goroutine begins late, which no lock in it prevents."),
			say("If somebody waits for it already, but only for a time, give several times as much. If it may come later, the code or the test must cope with that."), no,
		}
	}
	return f.unshown(no)
}

// heldDoes is what comes late if the goroutine is held: what it does from there on, of which the experiment does not tell
// how much matters.
func (f *fixer) heldDoes() prose {
	who := or(f.start, "what is held")
	if f.d.Proof.FromStart || f.last == nil {
		return say("what ").add(who).text(" does or leads to, as far as that is needed")
	}
	return slices.Clone(f.last).text(" and what follows there, as far as that is needed")
}

// oneStep is what to do about a window of two steps, which may be meant to be divided.
func (f *fixer) oneStep(under, no prose) []prose {
	return []prose{
		under.text("; or, if that is too long, check again under the lock that is held for the write, and use what is found there."),
		say("If something may, as of workers that are done in any order, let what comes of them not hang on who is first: put it by an index, say."), no,
	}
}

// unshown: no experiment has shown what comes between.
func (f *fixer) unshown(no prose) []prose {
	return []prose{
		f.seeOthers(),
		say("Of data that both use, make what comes before and after it one step, under one lock; who should come later must wait (channel, WaitGroup.Wait); and where either may come first, or some of it later, the code must cope with both."), no,
	}
}

// seeOthers says where to look while a goroutine is held: at what may be a cure, if some was tried that too few runs
// tell from chance.
func (f *fixer) seeOthers() prose {
	p := say("See what other goroutines do while this one stands at ").add(or(f.held(), "the place named")).text(", and what they would get of it if it came on earlier")
	d := f.d
	if len(d.Cure) == 0 || d.Proof.Confirmed.Cure.Of == 0 || d.Proof.Confirmed.Cure.Failed*d.Proof.Confirmed.Plain.Of >= d.Proof.Confirmed.Plain.Failed*d.Proof.Confirmed.Cure.Of {
		return p.text(": no experiment has shown that.")
	}
	p = f.v.spanPlace(p.text(". Begin with "), d.Cure[0]).text(f.v.timeWords(d.CureVisit, d.Cure[0]))
	return p.text(fmt.Sprintf(": with what comes there held it failed in %s, with nothing changed in %s, which may be chance.", shareOf(d.Proof.Confirmed.Cure), shareOf(d.Proof.Confirmed.Plain)))
}

// held is where the goroutine was held in the runs that count, else the first place.
func (f *fixer) held() prose {
	if f.d.At.File == "" {
		return f.first
	}
	return f.v.spanPlace(nil, f.d.At)
}

// chosen: what a select or the scheduler chose, and no goroutine was held.
func (f *fixer) chosen(no prose) []prose {
	if f.d.Kind() == "select" || f.d.ChosenKinds() == "select" {
		from := f.first
		if len(f.d.Chosen) > 0 {
			from = f.v.spanPlace(nil, f.d.Chosen[0])
		}
		return []prose{
			say("Of the cases of ").add(or(from, "the select named")).text(" that are ready Go takes any: let each of them lead to what is wanted when others are ready too."),
			say("If one must not be passed over, look for it in the others as well, with a select of its own that has a default, and again until nothing is left."), no,
		}
	}
	return []prose{
		say("See what goroutines do with the same data in the order in which they happen to go on, from ").add(or(f.first, "the place named")).text(" on."),
		say("Either make what must not be divided one step, under one lock, or let one of them wait for the other (channel, WaitGroup.Wait)."), no,
	}
}

// section returns the ends of what must be one step: those of the window, or what
// lies before it in the same function where holding makes it pass; nil if there is
// no such pair.
func (f *fixer) section() (from, to prose) {
	n := len(f.d.Window)
	if n == 0 || len(f.d.Holds) > 0 || f.d.Proof.FromStart { // nothing comes before its beginning
		return nil, nil
	}
	first, last := f.d.Window[0], f.d.Window[n-1]
	if f.d.Cures() {
		c := f.d.Cure[0]
		if f.inOrder(c, last) {
			return f.cure, f.last
		}
		return nil, nil
	}
	if first != last && f.inOrder(first, last) {
		return f.first, f.last
	}
	return nil, nil
}

// inOrder reports whether a comes before b in one function, which one lock can be held over.
func (f *fixer) inOrder(a, b finding.Span) bool {
	return a.File == b.File && a.Start < b.Start && f.v.src.funcAt(a.File, a.Start) == f.v.src.funcAt(b.File, b.Start)
}

// order: what follows from the order of a map.
func (f *fixer) order() []prose {
	over := "the map"
	if len(f.d.Window) > 0 {
		if x := f.ranged(f.d.Window[len(f.d.Window)-1]); x != "" {
			over = x
		}
	}
	unsorted := f.unsorted()
	if at := f.d.Window; len(at) > 0 && f.v.src.mayLeave(at[len(at)-1].File, at[len(at)-1].Start) {
		same := say("Sorted keys make it the same in every run, be it the order with which the test fails: check it.")
		if unsorted != nil {
			same = unsorted
		}
		return []prose{
			say("The loop at ").add(f.last).text(" may be left before it has seen all keys, and comes to them in any order: where one order is meant, go through a slice that has it; else let it see all, and choose by what they are."),
			same,
			say("Accepting every outcome in the test is right only if users of the code do not rely on one."),
		}
	}
	accept := say("Accepting every order in the test is right only if users of the code do not rely on one.")
	if f.syncMap() {
		return []prose{say("Sort what is collected at ").add(f.last).text(" when that has come back: a sync.Map can't be walked in the order of its keys."),
			say("Of what is computed of it, see that the order has no influence: sums of floating point numbers have, and so has the first one that is found."), accept}
	}
	if f.usesSyncMap() {
		return []prose{
			say("What is chosen ").text(whereChosen(f.d.Window[len(f.d.Window)-1:])).text(" ").add(f.last).text(" is, if that is the first use of a sync.Map, how its Range will go through it: sort what Range collects, where it is called, before its order matters."),
			say("Of what is computed of it, see that the order has no influence: which one is found first has, and so have sums of floating point numbers."), accept}
	}
	within := say("Compare within a tolerance: ").code("math.Abs(got-want) <= 1e-9").text(", not ").code("==").text(".")
	exact := say("Amounts that must be exact are integers: cents, basis points.")
	if f.walkedByCallee() {
		at := say("A map is gone through in what is called ").text(whereChosen(f.d.Window[len(f.d.Window)-1:])).text(" ").add(f.last)
		if f.d.Category == "floating-point" {
			return []prose{at.text(", and the last digits of a sum of floating point numbers hang on the order."), within, exact}
		}
		return []prose{
			at.text(": see whether that, and what it is compared with, can be told to keep to one order of keys, by an option for canonical or sorted output, say."),
			say("Or compare what does not hang on the order: decode both sides, or sort their parts, before they are compared."),
			accept,
		}
	}
	switch {
	case unsorted != nil && f.d.Category == "floating-point":
		return []prose{unsorted, within, exact}
	case unsorted != nil:
		return []prose{unsorted, say("Sort what is made of it where the type of its keys is known, in the caller or in the test, before it is compared, if its order has no meaning."), accept}
	}
	if g := f.gathered(); g != nil && unsorted == nil && f.d.Category != "floating-point" {
		return []prose{g, f.sortedWalk("Or go", over), accept}
	}
	walk := f.sortedWalk("Go", over)
	if f.d.Category == "floating-point" {
		return []prose{walk, within, say("Either alone removes the flake. Amounts that must be exact are integers: cents, basis points.")}
	}
	return []prose{walk, say("Or sort the list that is made of it, before anything is made to correspond to it, if there is one and its order has no meaning."), accept}
}

// passing: more time passes, by the clock, than the code or the test allows for.
func (f *fixer) passing() []prose {
	read := say("the clock says")
	if f.d.Reading.File != "" {
		read = f.v.spanPlace(say("the clock says at "), f.d.Reading)
	}
	return []prose{
		say("What ").add(read).text(" tells the outcome: see what it is compared with, and how long that may take on a busy machine."),
		say("Let the test set the time: hand the code a clock (").code("now func() time.Time").text("), or run it in a bubble of ").code("testing/synctest").text(", where time goes on only while all goroutines wait."),
		say("A longer limit makes the failure rarer, and a sleep brings it: neither is a fix."),
	}
}

// drawn is what was recorded of a number that is drawn at one of the places of a verdict, if it tells
// the outcome; nil if nothing was.
func (f *fixer) drawn() *finding.DataDivergence {
	for _, x := range f.v.t.Failures {
		for i := range x.Data {
			d := &x.Data[i]
			path, ours := f.v.r.Sites.Rel(d.At.File)
			here := func(s finding.Span) bool {
				return s.File == path && s.Start <= d.At.Line && d.At.Line <= max(s.Start, s.End)
			}
			if ours && d.Sure() && d.Kind == finding.DataValue && slices.ContainsFunc(f.d.Window, here) {
				return d
			}
		}
	}
	return nil
}

// randomness: some of the numbers drawn were not thought of.
func (f *fixer) randomness() []prose {
	are := "are valid and must be handled, or should not be drawn, or the test demands what does not hold for them."
	which := say("Find which numbers drawn " + whereChosen(f.d.Window) + " ").add(or(f.first, "the place named")).text(" make it fail: they " + are)
	if d := f.drawn(); d != nil {
		which = say("What is drawn " + whereChosen(f.d.Window) + " ").add(or(f.first, "the place named")).text(" tells the outcome: " + f.v.clean.line(dataWhy(d), 400) + ". The numbers with which it fails " + are)
	}
	return []prose{
		which,
		say("Pass the generator in (").code("r *rand.Rand").text("), and let the test log its seed, so that a failure can be repeated."),
		say("A fixed seed alone makes the test pass, or fail, each time, and tells nothing of other numbers: if the code is wrong for some numbers, its users will meet them."),
	}
}
