package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// This file turns findings into sentences. It claims only what the data says:
// "passing run 12 did", not "passing runs do".

func verdict(c counts) string {
	switch {
	case c.flaky():
		return "flaky"
	case c.Failed > 0:
		return "failing"
	}
	return "passing"
}

// headline returns "12 of 50 runs failed".
func headline(c counts) prose {
	n := c.decided()
	switch {
	case n == 0:
		return say("No run passed or failed")
	case c.Failed == n && n > 1:
		return say("All ").bold(thousands(int64(n))).text(" runs failed")
	}
	return prose{}.bold(fmt.Sprintf("%s of %s", thousands(int64(c.Failed)), plural(n, "run"))).text(" failed")
}

// details are what the reader must know to trust the rate.
func (v *viewer) details(c counts) []prose {
	var out []prose
	if c.Skipped > 0 {
		out = append(out, say(plural(c.Skipped, "run")+" skipped the test and "+doNot(c.Skipped)+" count."))
	}
	if c.ByChild > 0 {
		out = append(out, say(fmt.Sprintf("In %s only a subtest of it failed, which is listed by itself.", plural(c.ByChild, "run"))))
	}
	if n := c.NotRun - c.ByChild; n > 0 {
		out = append(out, say(fmt.Sprintf("%s did not come to it: an earlier test ended the process.", plural(n, "run"))))
	}
	if c.Timeouts > 0 {
		out = append(out, say(fmt.Sprintf("%s hung and %s stopped at the time limit.", plural(c.Timeouts, "failing run"), was(c.Timeouts))))
	}
	if c.Crashes > 0 {
		out = append(out, say(fmt.Sprintf("%s ended the whole process.", plural(c.Crashes, "failing run"))))
	}
	if p := count(v.t.Plain); p.decided() > 0 {
		out = append(out, say(fmt.Sprintf("Without tracing it failed in %d of %s (%s).",
			p.Failed, plural(p.decided(), "run"), p.rate())))
	}
	if p := v.alike(v.t); p != nil {
		out = append(out, p)
	}
	return out
}

func doNot(n int) string {
	if n == 1 {
		return "does not"
	}
	return "do not"
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// happened tells in about three sentences what the failing runs did that
// passing runs did not.
func (v *viewer) happened(f *Failure) []prose {
	a := f.Analysis
	switch {
	case a == nil && count(v.t.Runs).Passed == 0:
		return []prose{say("No run passed, so there is nothing to compare the failing runs with. A test that always fails is broken, not flaky: start from its message.")}
	case a == nil:
		return []prose{say("The failing runs could not be compared with passing ones.")}
	case len(a.Chain) == 0:
		out := []prose{say("No branch separates failing from passing runs: whatever these runs did differently, passing runs did as well. " +
			"What differs is in the data, or in when another goroutine did something.")}
		if f.Dump != "" {
			out = append(out, v.seeDump())
		}
		if a.Benign > 0 {
			out = append(out, say(fmt.Sprintf("Left aside: %s where passing runs differ from each other just as much.", plural(a.Benign, "place"))))
		}
		return out
	}
	out := v.divergence(a.Chain[0])
	if f.Dump != "" {
		out = append(out, v.seeDump())
	}
	if n := len(a.Chain); n > 1 {
		p := say(fmt.Sprintf("From there %s to the failed check; the last one is at ", steps(n-1)))
		if last := v.event(a.Chain[n-1].LastCommon); last != nil {
			out = append(out, v.placeEnd(p, *last).text("."))
		}
	}
	return out
}

func (v *viewer) seeDump() prose {
	return say("The dump below shows where each goroutine was when the process ended.")
}

func steps(n int) string {
	if n == 1 {
		return "1 more divergence leads"
	}
	return fmt.Sprintf("%d more divergences lead", n)
}

// words fills in what is said about a divergence. Warnings that were said
// already are not repeated; it returns them with the new ones.
func (v *viewer) words(w *divergenceView, d *divergence.Divergence, said []string) []string {
	w.Heading = v.goroutine(d)
	w.Happened = v.divergence(d)
	w.Facts = v.facts(d)
	for _, err := range d.Warnings {
		if s := v.clean.line(err.Error(), 500); !slices.Contains(said, s) {
			w.Warnings, said = append(w.Warnings, s), append(said, s)
		}
	}
	return said
}

// divergence describes one divergence: the way in common, the parting, and who
// went which way.
func (v *viewer) divergence(d *divergence.Divergence) []prose {
	last := v.event(d.LastCommon)
	if d.SamePath {
		return v.samePath(d)
	}
	up := say("Up to ")
	if len(d.Class) > 0 {
		up = v.goroutine(d).text(", up to ")
	}
	switch {
	case last == nil && d.CommonPrefix > 0:
		return []prose{v.unkept(d), v.who(d)}
	case last == nil:
		up = say(fmt.Sprintf("The runs part at once: failing run %d and %s have no line in common here.", d.FailingRun, passingRun(d).Plain()))
	default:
		up = v.codeWithPlace(up, *last)
		if d.Iteration > 1 {
			up = up.text(fmt.Sprintf(", the %s time it ran,", ordinal(d.Iteration)))
		}
		up = up.text(" the failing runs did what ").add(passingRun(d)).text(" did.")
	}
	then := v.parting(last, d)
	return []prose{up, then, v.who(d)}
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
	return say(fmt.Sprintf("The runs part between step %s and %s, but which lines they ran there was not kept: the trace budget was spent. Run it again with a larger -trace-budget.",
		thousands(d.CommonPrefix), thousands(d.CommonPrefix+4096)))
}

// samePath describes a divergence that is a failed check: no branch differs.
func (v *viewer) samePath(d *divergence.Divergence) []prose {
	check := v.event(d.FailNext)
	if check == nil {
		check = v.event(d.LastCommon)
	}
	p := say("Same path, different data: the failing runs ran the very lines that " + passingRun(d).Plain() + " ran, up to the failed check")
	if check != nil {
		p = v.codeWithPlace(p.text(" "), *check)
	}
	p = p.text(".")
	then := say("There the check passed in passing runs and failed in failing runs.")
	so := say("So no branch in this goroutine decided it. The difference is in the values that the check compares, or in what another goroutine had done by then.")
	return []prose{p, then, so}
}

// parting says what either side did next.
func (v *viewer) parting(last *place, d *divergence.Divergence) prose {
	pass, fail := v.event(d.PassNext), v.event(d.FailNext)
	if cond, inPass, ok := v.condition(last, pass, fail, d); ok {
		in, out := "true", "false"
		if !inPass {
			in, out = out, in
		}
		p := say("There ").code(cond).text(" was ").bold(in).text(" in passing runs, which ")
		p = v.nextEvent(p, d.PassNext, pass, last).text("; it was ").bold(out).text(" in failing runs, which ")
		return v.nextEvent(p, d.FailNext, fail, last).text(".")
	}
	p := v.nextEvent(say("Then passing runs "), d.PassNext, pass, last)
	return v.nextEvent(p.text("; failing runs "), d.FailNext, fail, last).text(".")
}

// condition returns the condition of the if statement that the runs part at,
// and whether it was true in passing runs. It claims that only if each side went
// to one of the two blocks that come right after the condition.
func (v *viewer) condition(last, pass, fail *place, d *divergence.Divergence) (cond string, inPass, ok bool) {
	if last == nil || pass == nil || fail == nil || pass.Block == 0 || fail.Block == 0 {
		return "", false, false
	}
	b := v.src.branch(*last)
	if b == nil {
		return "", false, false
	}
	isThen := func(p *place) bool { return p.File == last.File && p.Func == last.Func && b.then(p) }
	isElse := func(p *place) bool {
		same := p.File == last.File && p.Func == last.Func
		return b.els(p, v.r.Sites.Blocks[p.Block].Kind, same)
	}
	cond = shorten(v.clean.code(v.src.cond(*last, b)), 80)
	switch {
	case isThen(pass) && isElse(fail):
		return cond, true, cond != ""
	case isThen(fail) && isElse(pass):
		return cond, false, cond != ""
	}
	return "", false, false
}

// nextEvent says what the runs of one side did after the common part.
func (v *viewer) nextEvent(p prose, e trace.Event, at, last *place) prose {
	if e == 0 {
		return p.text("did no more in this goroutine")
	}
	if kind, _, ok := e.Check(); ok {
		p = p.text(map[trace.CheckKind]string{
			trace.CheckFail: "failed a check", trace.CheckFailNow: "failed a check and stopped",
			trace.CheckSkip: "skipped the test", trace.CheckPanic: "panicked",
		}[kind])
		if at == nil {
			return p
		}
		return v.codeAt(v.place(p.text(" at "), *at), *at)
	}
	b, _ := e.Block()
	if at == nil {
		return p.text(fmt.Sprintf("went on elsewhere (block %d)", b))
	}
	bl := v.r.Sites.Blocks[b]
	switch bl.Kind {
	case trace.BlockEntry:
		return v.place(p.text("entered ").code(v.clean.line(v.r.Sites.Funcs[bl.Func].Name, 80)).text(" ("), *at).text(")")
	case trace.BlockLoop:
		p = p.text("went round the loop with ")
	case trace.BlockCall:
		if last != nil && last.Func == at.Func && at.Start >= last.End && at.Start <= last.End+3 {
			p = p.text("came back from the call and ")
		}
		p = p.text("went on with ")
	case trace.BlockComm, trace.BlockCase:
		p = p.text("took ")
	default:
		p = p.text("went on with ")
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

// who says how many runs went which way.
func (v *viewer) who(d *divergence.Divergence) prose {
	t := d.Table
	fails, passes := t.FailTaken+t.FailNot, t.PassTaken+t.PassNot
	if fails == 0 || passes == 0 {
		return nil
	}
	var p prose
	switch {
	case t.FailNot == 0 && t.PassTaken == 0:
		p = say(allOf(fails, "failing run") + " went that way, " + noneOf(passes, "passing run"))
	default:
		p = say(fmt.Sprintf("%s of %s went that way, and %s of %s",
			thousands(int64(t.FailTaken)), plural(fails, "failing run"), thousands(int64(t.PassTaken)), plural(passes, "passing run")))
	}
	switch {
	case d.P < 0.01:
		return p.text(" (by chance alone that happens less than once in " + odds(d.P) + ").")
	case d.P > 0.05:
		return p.text(fmt.Sprintf("; with so few runs that may be chance (%s).", pValue(d.P)))
	}
	return p.text(fmt.Sprintf(" (%s).", pValue(d.P)))
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

func noneOf(n int, what string) string {
	if n == 1 {
		return "the one " + what + " did not"
	}
	return "none of the " + plural(n, what) + " did"
}

// facts is the line under a divergence's heading.
func (v *viewer) facts(d *divergence.Divergence) prose {
	s := plural(int(d.CommonPrefix), "step") + " in common"
	s += fmt.Sprintf(" · failing run %d against %s", d.FailingRun, passingRun(d).Plain())
	if d.PassingRun > 0 {
		s += ", the one most like it"
	}
	return say(s + " · Fisher's exact test: " + pValue(d.P))
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
