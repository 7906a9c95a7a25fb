package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/remedy"
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
	if len(d.Settings) > 0 {
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
	if f.d.Kind == "rand" { // for how long somebody sleeps
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
	case f.d.FromBeginning && f.start != nil:
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
	if f.d.FromBeginning || f.last == nil {
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
	if len(d.Cure) == 0 || d.Cured.Of == 0 || d.Cured.Failed*d.Plain.Of >= d.Plain.Failed*d.Cured.Of {
		return p.text(": no experiment has shown that.")
	}
	p = f.v.spanPlace(p.text(". Begin with "), d.Cure[0]).text(f.v.timeWords(d.CureVisit, d.Cure[0]))
	return p.text(fmt.Sprintf(": with what comes there held it failed in %s, with nothing changed in %s, which may be chance.", shareOf(d.Cured), shareOf(d.Plain)))
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
	if f.d.Kind == "select" || f.d.ChosenKinds() == "select" {
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
	if n == 0 || len(f.d.Holds) > 0 || f.d.FromBeginning { // nothing comes before its beginning
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

// gathered is the advice for a loop over a map that makes a list of which the source shows that nothing sorts it before
// it is used; nil for other loops.
func (f *fixer) gathered() prose {
	s := f.v.firstOf(f.d)
	n := len(f.d.Window)
	if s == nil || s.Reason.Gathers == "" || s.File != f.d.Window[n-1].File || s.Start != f.d.Window[n-1].Start {
		return nil
	}
	sort, other := "slices.Sort("+s.Reason.Gathers+")", "slices.SortFunc"
	if p := (remedy.Proposer{Source: f.v.src.whole}); !p.Has(s.File, remedy.SortedKeys) {
		sort, other = "sort.Strings("+s.Reason.Gathers+")", "sort.Ints, or sort.Slice"
	}
	return say("Sort ").code(s.Reason.Gathers).text(", to which the loop at ").add(f.last).text(fmt.Sprintf(" appends, after the loop and before line %d uses it: ", s.End)).
		code(sort).text("; ").code(other).text(" for elements that ").code("<").text(" does not compare. An order that is fixed may be the one that fails: check it.")
}

// usesSyncMap reports whether the line at which the order of a map is chosen calls what may be a method of a sync.Map
// that uses it without going through it: the first such call draws the seed of its hashes.
func (f *fixer) usesSyncMap() bool {
	n := len(f.d.Window)
	if n == 0 || !f.walkedByCallee() {
		return false
	}
	line := f.v.src.line(f.d.Window[n-1].File, f.d.Window[n-1].Start)
	return slices.ContainsFunc([]string{".LoadOrStore(", ".LoadAndDelete(", ".CompareAndSwap(", ".CompareAndDelete("}, func(call string) bool { return strings.Contains(line, call) })
}

// walkedByCallee reports whether the place at which the order of a map is chosen calls something and has no loop
// itself.
func (f *fixer) walkedByCallee() bool {
	n := len(f.d.Window)
	return n > 0 && f.v.src.callsOnly(f.d.Window[n-1].File, f.d.Window[n-1].Start)
}

// callsOnly reports whether a statement that begins on a line has a call, and no loop stands there; false if that is
// not known.
func (s *sources) callsOnly(path string, line int) bool {
	set, file := s.parse(path)
	if file == nil {
		return false
	}
	calls, loop := false, false
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || set.Position(n.Pos()).Line != line {
			return true
		}
		switch n.(type) {
		case *ast.CallExpr:
			calls = true
		case *ast.RangeStmt:
			loop = true
		}
		return true
	})
	return calls && !loop
}

// syncMap reports whether what is walked is a sync.Map: no loop of Go's.
func (f *fixer) syncMap() bool {
	n := len(f.d.Window)
	if n == 0 || f.d.Window[n-1].After {
		return false
	}
	line := f.v.src.line(f.d.Window[n-1].File, f.d.Window[n-1].Start)
	return strings.Contains(line, ".Range(") && !strings.Contains(line, "range ")
}

// sortedWalk says how a loop goes through a map in the order of its keys, with what the Go has that the
// user's go.mod asks for.
func (f *fixer) sortedWalk(begin, over string) prose {
	walk := say(begin + " through sorted keys at ").add(or(f.last, "the loop over the map"))
	p := remedy.Proposer{Source: f.v.src.whole}
	key, has := "key", true
	if n := len(f.d.Window); n > 0 {
		at := f.d.Window[n-1]
		key, has = f.v.src.keyOf(at.File, at.Start), p.Has(at.File, remedy.SortedKeys)
	}
	if !has {
		walk = walk.text(": collect them, sort them with ").code("sort.Strings(keys)").text(" or ").code("sort.Ints(keys)").text(", and loop with ").code("for _, " + key + " := range keys").text(" (the go line of go.mod is older than what ").code("slices.Sorted(maps.Keys(" + over + "))").text(" needs); ").code("sort.Slice")
	} else {
		walk = walk.text(": ").code("for _, " + key + " := range slices.Sorted(maps.Keys(" + over + "))").text("; ").code("slices.SortedFunc")
	}
	return walk.text(" for keys that ").code("<").text(" does not compare. An order that is fixed may be the one that fails: check it.")
}

// unsorted says of a map of which the loop can't sort the keys why it can't; nil if it can, or
// if that is not known.
func (f *fixer) unsorted() prose {
	n := len(f.d.Window)
	if n == 0 {
		return nil
	}
	key := (&remedy.Proposer{Source: f.v.src.whole}).Unsortable(remedy.Site{File: f.d.Window[n-1].File, Line: f.d.Window[n-1].Start})
	if key == "" {
		return nil
	}
	return say("The keys can't be sorted at ").add(f.last).text(": ").code(key).text(" is a type parameter that is only ").code("comparable").text(".")
}

// mayLeave reports whether the loop on a line can end before it has gone through all, by a
// return, a break or a jump; false if that is not known.
func (s *sources) mayLeave(path string, line int) (leaves bool) {
	for _, loop := range s.ranges(path, line) {
		leaves = leaves || left(loop.Body, true)
	}
	return leaves
}

// keyOf returns the name that the loop on a line gives to a key; "key" if it has none, or there is no such loop.
func (s *sources) keyOf(path string, line int) string {
	for _, loop := range s.ranges(path, line) {
		if key, ok := loop.Key.(*ast.Ident); ok && key.Name != "_" {
			return key.Name
		}
	}
	return "key"
}

// ranges returns the loops with range that begin on a line.
func (s *sources) ranges(path string, line int) (list []*ast.RangeStmt) {
	set, file := s.parse(path)
	if file == nil {
		return nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if loop, ok := n.(*ast.RangeStmt); ok && set.Position(loop.Pos()).Line == line {
			list = append(list, loop)
		}
		return true
	})
	return list
}

// left reports whether a statement in a loop may end it; breaks says that a break without a
// label would. What functions in it do is their own.
func left(n ast.Node, breaks bool) (leaves bool) {
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			leaves = true
		case *ast.BranchStmt:
			leaves = leaves || x.Tok == token.GOTO || x.Tok == token.BREAK && (breaks || x.Label != nil)
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if x != n {
				leaves = leaves || left(x, false)
				return false
			}
		}
		return true
	})
	return leaves
}

// ranged returns what the range statement on a line goes through, "" if there is none.
func (f *fixer) ranged(s finding.Span) string {
	line := strings.TrimSpace(f.v.src.line(s.File, s.Start))
	_, rest, ok := strings.Cut(line, "range ")
	if rest = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "{")); !ok || rest == "" {
		return ""
	}
	x, err := parser.ParseExpr(rest)
	if err != nil {
		return ""
	}
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return f.v.clean.code(rest)
	}
	return ""
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

// left says what another test changes that this one reads too, nil if that is not known, and where it is best
// undone.
func (f *fixer) left() (what, undo prose) {
	var changed, by, from *finding.Suspect
	for _, x := range f.v.t.Failures {
		for i := range x.Suspects {
			s := &x.Suspects[i]
			switch r := &s.Reason; {
			case r.Verdict == nil || !slices.Equal(r.Verdict.Tests, f.d.Tests) || r.Verdict.Signature != f.d.Signature:
			case (r.Kind == finding.ReasonTest || r.Kind == finding.ReasonPolluted) && changed == nil:
				changed = s
			case r.Kind == finding.ReasonShared && by == nil:
				by = s
			case r.Kind == finding.ReasonTestCall && from == nil:
				from = s
			}
		}
	}
	if changed == nil {
		return nil, undone("")
	}
	undo = undone(changed.Reason.Var)
	at := func(p prose, s *finding.Suspect) prose {
		return f.v.place(p, spanLines(finding.Span{File: s.File, Start: s.Start, End: s.End}))
	}
	if changed.Reason.Kind == finding.ReasonPolluted {
		p := say("").code(changed.Reason.Code).text(" leaves ").code(changed.Reason.Var).text(" otherwise than it was; it comes to it at ")
		return at(p, changed).text(otherLines(&changed.Reason) + "."), f.ownOrUndone(changed)
	}
	p := changedVar(say("").code(changed.Reason.Code).text(" "+changesWord(&changed.Reason)+" "), changed.Reason.Var)
	p = at(p.text(" at "), changed)
	if from != nil {
		p = at(p.text("; it comes there from "), from)
	}
	if by != nil {
		p = at(p.text(" and comes to it by ").code(by.Reason.Var).text(" at "), by)
		undo = f.ownOrUndone(by)
	}
	switch {
	case changed.Reason.Read:
		p = p.text("; this test reads that too")
	case by != nil && by.Reason.Read:
		p = p.text("; this test reads ").code(by.Reason.Var).text(" too")
	}
	return p.text("."), undo
}

// ownOrUndone says what to do about a variable that tests come to at a place which is not theirs.
func (f *fixer) ownOrUndone(s *finding.Suspect) prose {
	p := say("Let each test have its own ").code(s.Reason.Var).text(", where it gets it, or build it anew at its beginning.")
	return p.text(" If it is to be undone, then at the end of ").code(s.Reason.Code).text(", with ").code("t.Cleanup").text(", and all that can be reached by it.")
}

// changedVar adds the name of what a test changes: a variable, or in words what it changes of the process.
func changedVar(p prose, name string) prose {
	what, of, _ := strings.Cut(name, "variable ")
	switch {
	case of != "": // of the environment
		return p.text(what + "variable ").code(of)
	case strings.Contains(name, " "):
		return p.text(name)
	}
	return p.code(name)
}

// undone says how what a test changes is best undone, by its name.
func undone(name string) prose {
	switch {
	case strings.Contains(name, "environment"):
		return say("Set it there with ").code("t.Setenv").text(", which sets it back when the test ends; ").code("t.Cleanup").text(" does where it is to be unset.")
	case name == "the working directory":
		return say("Change it there with ").code("t.Chdir").text(" (since Go 1.24), or set it back with ").code("t.Cleanup").text(".")
	}
	return say("Undo it there with ").code("t.Cleanup").text(" (environment and files: ").code("t.Setenv").text(", ").code("t.TempDir").text("), or build that state anew in each test, or where the tests get it from.")
}

// tests: state that another test leaves behind.
func (f *fixer) tests() []prose {
	names := f.v.clean.line(strings.Join(f.d.Tests, ", "), 200)
	if names == "" {
		names = "the tests named"
	}
	if f.d.Needs() {
		return []prose{
			say("Find what ").code(names).text(" sets that this test relies on: a package variable, an environment variable, a file."),
			say("Set it in this test too, or in a function that both call, so that it passes alone."),
		}
	}
	find, undo := f.left()
	if find == nil {
		find = say("Find what ").code(names).text(" changes and leaves behind: a package variable, an environment variable, a file.")
	}
	return []prose{
		find,
		undo,
		say("An order of tests that passes is no fix: -run, -shuffle and tests that are added change it."),
	}
}
