package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// words fills in what is said about a divergence. Warnings that were said
// already are not repeated; it returns them with the new ones.
func (v *viewer) words(w *divergenceView, d *divergence.Divergence, said []string) []string {
	w.Heading, w.SamePath = v.goroutine(d), d.SamePath
	w.Happened = v.divergence(d)
	w.Facts = v.facts(d)
	for _, err := range d.Warnings {
		if s := v.warning(v.f, err); !slices.Contains(said, s) {
			w.Warnings, said = append(w.Warnings, s), append(said, s)
		}
	}
	return said
}

// divergence describes one divergence: the way in common, the two ways from
// there, and who went which.
func (v *viewer) divergence(d *divergence.Divergence) []prose {
	last, _, _ := v.ends(d)
	switch {
	case d.SamePath:
		return v.samePath(d)
	case d.Loop != nil:
		return v.loopSaid(d, last)
	case last == nil && d.CommonPrefix > 0:
		return []prose{v.unkept(d), v.who(d)}
	}
	return []prose{v.until(d, last), v.parting(last, d), v.who(d)}
}

// until says up to where runs behave the same, and which: all of them, the two
// that are compared, or those two but for what does not tell the outcome.
func (v *viewer) until(d *divergence.Divergence, last *place) prose {
	if last == nil {
		return say(fmt.Sprintf("The runs diverge at once: failing run %d and %s have no line in common here.", d.FailingRun, passingRun(d).Plain()))
	}
	var p prose
	if len(d.Class) > 0 || v.f != nil && v.f.Analysis != nil && !v.f.Analysis.Alone || v.t != nil && strings.Contains(v.t.Name, "/") { // others need not behave the same, nor what the test calls in its other subtests
		p = v.goroutine(d).text(", ")
	}
	pair := fmt.Sprintf("failing run %d and %s ", d.FailingRun, passingRun(d).Plain())
	switch n := d.Alike.FailTaken + d.Alike.PassTaken; {
	case !d.Exact && d.PassTook == 0:
		p = p.text(fmt.Sprintf("failing run %d comes to ", d.FailingRun))
	case !d.Exact:
		p = p.text(pair + "both come to ")
	case n == d.Alike.Total() && n > 2:
		compared := ""
		if v.t != nil && n < count(v.t.Runs).decided() {
			compared = " that were compared"
		}
		p = p.text(fmt.Sprintf("all %d runs%s behave the same until ", n, compared))
	default:
		p = p.text(pair + "behave the same until ")
	}
	switch {
	case d.Left: // which is later; not all runs come to this line of it
		with := "the loop with "
		if !v.src.inLoop(last.File, last.Start) { // that of a caller
			with = "the loop that comes to "
		}
		return v.codeWithPlace(p.text(with), *last).text(".").capital()
	case d.Iteration > 1 && d.Exact:
		p = p.text("the " + ordinal(d.Iteration) + " pass over ")
	case d.Iteration > 1:
		return v.codeWithPlace(p, *last).text(fmt.Sprintf(", in failing run %d for the %s time%s.", d.FailingRun, ordinal(d.Iteration), differBefore(d))).capital()
	}
	return v.codeWithPlace(p, *last).text(differBefore(d) + ".").capital()
}

// differBefore says that two runs that come to a divergence had not done the same before. What it
// was may tell the outcome too: of edges that do, and counts of iterations, one is shown.
func differBefore(d *divergence.Divergence) string {
	if d.Exact || d.PassTook == 0 {
		return ""
	}
	return "; before that they differ too"
}

// passingRun names the passing run that is shown beside the failing one. There may
// be none: a goroutine that only failing runs have is compared with all of them.
func passingRun(d *divergence.Divergence) prose {
	if d.PassingRun == 0 {
		return say("passing runs")
	}
	return say("passing run ").bold(fmt.Sprint(d.PassingRun))
}

// unkept describes a divergence beyond the trace budget: the traces there were
// kept as hashes only.
func (v *viewer) unkept(d *divergence.Divergence) prose {
	return say(fmt.Sprintf("The runs diverge between step %s and %s, but which lines they ran there was not kept: the trace budget was spent. Run it again with a larger -trace-budget.",
		thousands(d.CommonPrefix), thousands(d.CommonPrefix+4096)))
}

// samePath describes a divergence that is a failed check: no way and no number of
// iterations in this goroutine tells the outcome.
func (v *viewer) samePath(d *divergence.Divergence) []prose {
	check := v.event(d.FailNext)
	if check == nil {
		check = v.event(d.LastCommon)
	}
	upTo := func(p prose) prose { return v.upTo(p, check) }
	who, fails := v.goroutine(d), d.Table.FailTaken
	var p prose
	in := "The"
	switch {
	case v.othersDiffer(d):
		p = upTo(who.text(" no branch between statements and no number of iterations tells all failing runs from the passing ones ")).text(". Elsewhere the runs do differ.")
	case d.Followed == len(v.f.Runs) && fails > 0:
		p = upTo(say("Same path, different data: in the goroutine that failed " + each(d.Followed, "failing run") + " did what some passing run did, statement by statement, ")).text(".")
	case d.Followed == 0 && !d.Exact && fails > 0: // each has a branch of its own, so that data need not differ
		p = upTo(who.text(" no branch between statements and no number of iterations tells all failing runs from the passing ones ")).
			text(": " + noneOf(len(v.f.Runs), "failing run") + " what some passing run did, statement by statement, but not all of them part from those in one way.")
		return []prose{p}
	case d.Followed == 0:
		p = upTo(who.text(" no branch between statements and no number of iterations tells all failing runs from the passing ones ")).text(".")
	default: // the others may have a branch of their own
		of := len(v.f.Runs)
		p = upTo(who.text(" no branch between statements and no number of iterations tells all failing runs from the passing ones ")).
			text(fmt.Sprintf(": %d of %s did what some passing run did, statement by statement.", d.Followed, plural(of, "failing run")))
		if d.Followed < of {
			in = "In these the"
		}
	}
	if a := v.f.Analysis; a != nil && a.Alone && !v.f.Died() {
		return []prose{p, say(in + " difference is in the values that the check compares.")}
	}
	if v.f.Died() {
		return []prose{p, say(in + " difference is in values, or in what another goroutine had done by then.")}
	}
	return []prose{p, say(in + " difference is in the values that the check compares, or in what another goroutine had done by then.")}
}

// failedAt names the place at which a test failed: a statement that panics is no check.
func (v *viewer) failedAt() string {
	if v.f != nil && v.f.Died() {
		return "the statement in which the process died"
	}
	return "the failed check"
}

// upTo names the last place of the test's own code that is known of a failure: where a library
// failed it, as in a cleanup, the check is not there.
func (v *viewer) upTo(p prose, last *place) prose {
	if v.f == nil || v.f.Died() || v.f.Frame.File == "" {
		return v.upToCheck(p, last)
	}
	if _, own := v.src.frame(v.f.Frame); own {
		return v.upToCheck(p, last)
	}
	if last == nil {
		return p.text("up to the last statement before the failure in other code")
	}
	return v.codeWithPlace(p.text("up to "), *last).text(", the last statement before it failed in other code")
}

func (v *viewer) upToCheck(p prose, last *place) prose {
	if p = p.text("up to " + v.failedAt()); last != nil {
		p = v.codeWithPlace(p.text(" "), *last)
	}
	return p
}

// othersDiffer reports whether there is more than d that tells failing from
// passing runs: in another goroutine, or between two of them.
func (v *viewer) othersDiffer(d *divergence.Divergence) bool {
	a := v.f.Analysis
	if a == nil {
		return false
	}
	elsewhere := slices.ContainsFunc(a.Chain, func(o *divergence.Divergence) bool { return o.Nth != d.Nth || !slices.Equal(o.Class, d.Class) })
	return elsewhere || len(a.OnlyFailing)+len(a.OnlyPassing)+len(a.Orders) > 0
}

func each(n int, what string) string {
	if n == 1 {
		return "the one " + what
	}
	return "each of the " + plural(n, what)
}

// parting says what either side did next.
func (v *viewer) parting(last *place, d *divergence.Divergence) prose {
	pass, fail := v.event(d.PassNext), v.event(d.FailNext)
	passing, one := passingWho(d)
	failing := failingWho(d)
	those := strings.TrimSuffix(failing, ",") // another comma follows
	if cond, ok := v.becomesTrue(last, pass); ok && d.Left {
		p := v.nextEvent(say("There ").code(cond).text(" becomes ").bold("true").text(" in "+strings.TrimSuffix(passing, ",")+", which "), d.PassNext, pass, last, one)
		return v.later(p.text("; it never does in "+those+", which "), d.FailNext, fail, last).text(".")
	}
	who := strings.TrimSuffix(passing, ",")
	if cond, inPass, ok := v.condition(last, pass, fail, d); ok && !d.Left {
		in, out := "true", "false"
		if !inPass {
			in, out = out, in
		}
		p := v.there(d).code(cond).text(" is ").bold(in).text(" in " + who + ", which ")
		p = v.nextEvent(p, d.PassNext, pass, last, one).text("; it is ").bold(out).text(" in " + those + ", which ")
		return v.nextEvent(p, d.FailNext, fail, last, false).text(".")
	}
	p := v.nextEvent(v.there(d).text(passing+" "), d.PassNext, pass, last, one)
	if p = p.text("; " + failing + " "); d.Left {
		return v.later(p.text(neverDo(d)), d.FailNext, fail, last).text(".")
	}
	return v.nextEvent(p, d.FailNext, fail, last, false).text(".")
}

// neverDo says that failing runs never go the way of the passing ones in a loop.
func neverDo(d *divergence.Divergence) string {
	if d.PassNext == 0 {
		return "go on, and "
	}
	return "never do, and "
}

// later says what failing runs do after a loop that passing runs leave by a way that
// failing ones never go. It does not come right after the last common line.
func (v *viewer) later(p prose, e trace.Event, at, last *place) prose {
	if b, ok := e.Block(); ok && b > 0 && at != nil {
		if v.src.behindLoop(last, at) {
			p = p.text("leave the loop and ")
		} else {
			p = p.text("later ")
		}
		p = p.text("come to ")
		if code := v.quoted(*at, false); code != "" {
			return v.place(p.code(code).text(" ("), *at).text(")")
		}
		return v.place(p, *at)
	}
	return v.nextEvent(p.text("later "), e, at, last, false)
}

// there begins a sentence about the two ways.
func (v *viewer) there(d *divergence.Divergence) prose {
	if d.InLoop && !d.Left {
		return say("There, in the iteration in which they part, ")
	}
	return say("There ")
}

// passingWho names the passing runs that were seen to go on with PassNext, and
// says whether it is just one. If it is not known how many, it is the run shown; if
// only those were followed that did the same up to there, it is these.
func passingWho(d *divergence.Divergence) (who string, one bool) {
	n := d.Table.PassTaken + d.Table.PassNot
	switch {
	case d.PassTook == 0:
		return fmt.Sprintf("passing run %d", d.PassingRun), true
	case d.PassTook == n:
		return "passing runs", false
	case likeFailing(d) == 1:
		return fmt.Sprintf("passing run %d, which alone does the same until then,", d.PassingRun), true
	case likeFailing(d) == d.PassTook:
		return fmt.Sprintf("the %d passing runs that "+doTheSame(d)+" until then", d.PassTook), false
	case likeFailing(d) > 0:
		return fmt.Sprintf("%d of the %d passing runs that "+doTheSame(d)+" until then", d.PassTook, likeFailing(d)), d.PassTook == 1
	}
	return unlessAll(d, d.PassTook+d.Table.PassTaken, n) + fmt.Sprintf("%d of %s", d.PassTook, plural(n, "passing run")), d.PassTook == 1
}

// doTheSame says of passing runs that they are like the failing run shown, or, where several failing runs differ by
// then, each like one of these.
func doTheSame(d *divergence.Divergence) string {
	if d.Exact && d.PassTook == d.Alike.PassTaken {
		return "do the same"
	}
	return "do what one failing run or another does"
}

// unlessAll precedes the number of runs that were seen to go a way: of those that could not
// be followed to there, and so are not among the seen, some may have gone it as well. Where just
// those count that do the same up to there, or all do, all are known.
func unlessAll(d *divergence.Divergence, seen, of int) string {
	if alike := d.Alike; d.PassAlike > 0 || alike.FailTaken+alike.PassTaken == alike.Total() && d.Exact || seen >= of {
		return ""
	}
	return "at least "
}

// failingWho names the failing runs that Table counts as having gone on with FailNext.
func failingWho(d *divergence.Divergence) string {
	n := d.Table.FailTaken + d.Table.FailNot
	switch {
	case d.Pooled && len(d.Class) > 0 && d.Of > 1:
		return fmt.Sprintf("%d of %s, in one or another of these goroutines,", d.Table.FailTaken, plural(n, "failing run"))
	case d.Pooled && d.FailTook < n:
		return fmt.Sprintf("%d of %s, at the pass at which they part,", d.Table.FailTaken, plural(n, "failing run"))
	case d.Table.FailNot == 0:
		return "failing runs"
	}
	return unlessAll(d, d.Table.FailTaken, n) + fmt.Sprintf("%d of %s", d.Table.FailTaken, plural(n, "failing run"))
}

// condition returns the condition of the if statement that the runs part at,
// and whether it was true in passing runs. It claims that only if each side went
// to one of the two blocks that come right after the condition.
func (v *viewer) condition(last, pass, fail *place, d *divergence.Divergence) (cond string, inPass, ok bool) {
	if last == nil || pass == nil || fail == nil {
		return "", false, false
	}
	c := v.conditionOf(last)
	inPass, known := c.Ways[pass.Block]
	inFail, ok := c.Ways[fail.Block]
	cond = shorten(v.clean.code(c.Code), 80)
	return cond, inPass, known && ok && inPass != inFail && cond != ""
}

// conditionOf returns the condition at the end of a block, without code if there is none.
func (v *viewer) conditionOf(last *place) finding.Condition {
	if v.f == nil {
		return finding.Condition{}
	}
	return v.f.Conditions[last.Block]
}

// becomesTrue returns the condition of the if statement at the end of a block, if
// passing runs went on with what it guards.
func (v *viewer) becomesTrue(last, pass *place) (cond string, ok bool) {
	if last == nil || pass == nil {
		return "", false
	}
	c := v.conditionOf(last)
	cond = shorten(v.clean.code(c.Code), 80)
	return cond, c.Ways[pass.Block] && cond != ""
}

// nextEvent says what the runs of one side do after the common part; one says
// that it is a single run.
func (v *viewer) nextEvent(p prose, e trace.Event, at, last *place, one bool) prose {
	verb := func(many, single string) string {
		if one {
			return single
		}
		return many
	}
	if e == 0 {
		return p.text(verb("do", "does") + " no more in this goroutine")
	}
	if kind, _, ok := e.Check(); ok {
		p = p.text(map[trace.CheckKind]string{
			trace.CheckFail: verb("fail", "fails") + " a check", trace.CheckFailNow: verb("fail a check and stop", "fails a check and stops"),
			trace.CheckSkip: verb("skip", "skips") + " the test", trace.CheckPanic: verb("panic", "panics"),
		}[kind])
		if at == nil {
			return p
		}
		return v.codeAt(v.place(p.text(" at "), *at), *at)
	}
	b, _ := e.Block()
	if at == nil {
		return p.text(fmt.Sprintf("%s on elsewhere (block %d)", verb("go", "goes"), b))
	}
	bl := v.r.Sites.Blocks[b]
	switch bl.Kind {
	case trace.BlockEntry:
		return v.place(p.text(verb("enter ", "enters ")).code(v.clean.line(v.r.Sites.Funcs[bl.Func].Name, 80)).text(" ("), *at).text(")")
	case trace.BlockLoop:
		p = p.text(verb("begin", "begins") + " an iteration with ")
	case trace.BlockCall:
		if last != nil && last.Func == at.Func && at.Start >= last.End && at.Start <= last.End+3 {
			p = p.text(verb("come", "comes") + " back from the call and ")
		}
		p = p.text(verb("go", "goes") + " on with ")
	case trace.BlockComm, trace.BlockCase:
		p = p.text(verb("take ", "takes "))
	default:
		p = p.text(verb("go", "goes") + " on with ")
	}
	if code := v.quoted(*at, false); code != "" {
		return v.place(p.code(code).text(" ("), *at).text(")")
	}
	return v.place(p, *at)
}

// codeWithPlace appends the last line of at, as code and as a place.
func (v *viewer) codeWithPlace(p prose, at place) prose {
	if code := v.quoted(at, true); code != "" {
		return v.placeEnd(p.code(code).text(" ("), at).text(")")
	}
	return v.placeEnd(p, at)
}

func (v *viewer) codeAt(p prose, at place) prose {
	if code := v.quoted(at, true); code != "" {
		return p.text(": ").code(code)
	}
	return p
}

// who says how many runs went which way. Of a failed check there is nothing to
// count: failing runs come there because they fail.
func (v *viewer) who(d *divergence.Divergence) prose {
	t := d.Table
	fails, passes := t.FailTaken+t.FailNot, t.PassTaken+t.PassNot
	if fails == 0 || passes == 0 {
		return nil
	}
	if v.byDefinition(d) {
		return say("That is the way into " + v.failedAt() + ": it separates the runs by definition.")
	}
	var p prose
	any, all := "", t.FailNot == 0 && t.PassTaken == 0
	switch {
	case d.Pooled && len(d.Class) > 0:
		any = " in some goroutine started there, each at a pass where the passing runs that were compared with it went on otherwise"
	case d.Pooled, d.Anywhere() && t.PassTaken == 0:
		any = ", each at a pass where the passing runs that were compared with it went on otherwise"
	case d.Anywhere():
		any = " at the pass at which they were compared"
	}
	unseen := unlessAll(d, d.PassTook+t.PassTaken, passes) != ""
	switch {
	case all && any == "" && unseen:
		p = say(allOf(fails, "failing run") + " went that way, which " + noneSeen(passes, "passing run"))
	case all && any == "":
		p = say(allOf(fails, "failing run") + " went that way, " + noneOf(passes, "passing run"))
	case any != "" && t.PassTaken == 0: // but passing runs may have gone so elsewhere, and failing ones where they ended
		p = say(atLeast(t) + fmt.Sprintf("%s of %s went that way%s", thousands(int64(t.FailTaken)), plural(fails, "failing run"), any))
		return p.text(".") // of passing runs only those count that were there: the table does not say which
	default:
		went := " went"
		if unseen || unlessAll(d, t.FailTaken, fails) != "" {
			went = " were seen to go"
		}
		p = say(fmt.Sprintf("%s of %s%s that way%s, and %s of %s",
			thousands(int64(t.FailTaken)), plural(fails, "failing run"), went, any, thousands(int64(t.PassTaken)), plural(passes, "passing run")))
	}
	return v.chance(p, d.P)
}

// atLeast precedes the number of failing runs that went a way at some pass: of those that
// went it with no passing run to go on beside them, nothing is known.
func atLeast(t divergence.Table) string {
	if t.FailNot == 0 {
		return ""
	}
	return "At least "
}

// chance appends how likely a difference is by chance alone: not where all failing runs were made to fail, which differ by
// what was done.
func (v *viewer) chance(p prose, value float64) prose {
	switch {
	case v.allProvoked():
		return p.text(".")
	case value < 0.01:
		return p.text(" (by chance alone that happens less than once in " + odds(value) + ").")
	case value > 0.05:
		return p.text(fmt.Sprintf("; with so few runs that may be chance (%s).", pValue(value)))
	}
	return p.text(fmt.Sprintf(" (%s).", pValue(value)))
}

// byDefinition reports whether failing runs went on with the failed check itself,
// or with the block that it is in, and no passing run did. Where another goroutine failed it is not so: this
// one has come through.
func (v *viewer) byDefinition(d *divergence.Divergence) bool {
	if _, _, ok := d.FailNext.Check(); ok {
		return true
	}
	next, known := v.event(d.FailNext), false
	failed := place{}
	if v.f != nil {
		failed, known = v.src.frame(v.f.Frame)
	}
	return d.Loop == nil && !d.OtherFailed && d.Table.PassTaken == 0 && next != nil && known && next.File == failed.File && next.Start <= failed.Start && failed.Start <= next.End
}

// odds returns 1/p in words, as a round number not above it.
func odds(p float64) string {
	for _, n := range []int64{1000000, 100000, 10000, 1000} {
		if p*float64(n) <= 1 {
			return strings.Replace(thousands(n), "1,000,000", "a million", 1)
		}
	}
	return "100"
}

func allOf(n int, what string) string {
	switch n {
	case 1:
		return "The one " + what
	case 2:
		return "Both " + what + "s"
	}
	return "All " + plural(n, what)
}

func noneSeen(n int, what string) string {
	if n == 1 {
		return "the one " + what + " was not seen to do"
	}
	return "of the " + plural(n, what) + " none was seen to do"
}

func noneOf(n int, what string) string {
	if n == 1 {
		return "the one " + what + " did not"
	}
	return "none of the " + plural(n, what) + " did"
}

// facts is the line under a divergence's heading.
func (v *viewer) facts(d *divergence.Divergence) prose {
	s := plural(int(d.CommonPrefix), "step") + " in common"
	if !d.Exact {
		s = "step " + thousands(d.CommonPrefix)
	}
	s += fmt.Sprintf(" · failing run %d against %s", d.FailingRun, passingRun(d).Plain())
	switch {
	case d.PassingRun == 0, d.SamePath && d.Exact: // nothing parts there
	case d.Exact:
		s += ", of those that part there one that shares the longest prefix with it"
	case d.SamePath && d.Followed == 0:
		s += ", which parts from it before"
	default:
		s += ", what differs before it left aside"
	}
	if !v.byDefinition(d) && !d.Pooled && !v.allProvoked() {
		s += " · Fisher's exact test"
		if d.Loop != nil && d.Loop.Limit > 0 { // one of several limits, of which each could have told
			s += ", times the limits to choose from"
		}
		s += ": " + pValue(d.P)
	}
	return say(s)
}

// quoted returns a line of code of p, short enough for a sentence.
func (v *viewer) quoted(p place, last bool) string {
	return shorten(v.clean.code(strings.ReplaceAll(v.src.quote(p, last), "\t", " ")), 80)
}

// placeEnd appends the place of p's last line.
func (v *viewer) placeEnd(pr prose, p place) prose {
	if len(p.Lines) > 0 {
		p.Start = p.Lines[len(p.Lines)-1]
	}
	return v.place(pr, p)
}
