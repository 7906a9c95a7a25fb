package report

import (
	"fmt"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// loopSaid describes a divergence that is in what was counted of a loop.
func (v *viewer) loopSaid(d *divergence.Divergence, last *place) []prose {
	p := say("There ").add(v.loopCount(d))
	fail, pass := v.event(d.FailNext), v.event(d.PassNext)
	then := say(fmt.Sprintf("Failing run %d ", d.FailingRun))
	switch l := d.Loop; {
	case l.Limit == 0:
		then = v.nextEvent(then, d.FailNext, fail, last, true).text(" instead, the last time it comes to ")
		if last == nil {
			return []prose{v.until(d, last), p}
		}
		p = v.loopCount(d) // and not that runs are the same until there: they may be so beyond, in which iteration they part is not told
		if len(d.Class) > 0 {
			p = v.goroutine(d).text(", ").add(p)
		}
		return []prose{p.capital(), v.codeWithPlace(then, *last).text(".")}
	case l.More:
		then = v.another(say(failsOf(d)+" ").capital(), fail).text("; ")
		then = v.leaves(then.text(passesOf(d)+" "), d.PassNext, pass, d.PassTook, others(d))
	default:
		then = v.another(say(passesOf(d)+" ").capital(), pass).text("; ")
		then = v.leaves(then.text(failsOf(d)+" "), d.FailNext, fail, d.FailTook, d.Table.FailTaken)
	}
	return []prose{v.until(d, last), p, then.text(".")}
}

// loopCount says what was counted of a loop, and in how many runs it was so.
func (v *viewer) loopCount(d *divergence.Divergence) prose {
	t, head := d.Table, v.event(trace.Event(d.Loop.Header))
	p := say("the loop")
	if head != nil {
		p = v.codeWithPlace(p.text(" with "), *head)
	}
	switch {
	case d.Loop.Limit > 0:
		least := "fewer than "
		if d.Loop.More {
			least = "at least "
		}
		p = p.text(" makes " + least).bold(plural(int(d.Loop.Limit), "iteration"))
	default:
		p = p.text(" never goes on to ")
		if next := v.event(d.PassNext); next != nil {
			p = v.codeWithPlace(p, *next)
		} else {
			p = p.text("its end")
		}
	}
	fails, passes := t.FailTaken+t.FailNot, t.PassTaken+t.PassNot
	if l := d.Loop; l.Failing+l.Passing > 0 && l.Failing+l.Passing < fails+passes {
		p = p.text(fmt.Sprintf(" in %d of %s and %d of %s that could be followed there", t.FailTaken, plural(l.Failing, "failing run"), t.PassTaken, plural(l.Passing, "passing run")))
		return v.chance(p, d.P)
	}
	p = p.text(fmt.Sprintf(" in %s, and in %d of %s", ofAll(t.FailTaken, fails, "failing run"), t.PassTaken, plural(passes, "passing run")))
	if d.Loop.Limit == 0 && d.OtherFailed && v.f != nil && v.f.Died() {
		return v.chance(p, d.P).text(" Another goroutine ended the process there, which alone may be why.")
	}
	return v.chance(p, d.P)
}

// another says that a loop begins one more iteration.
func (v *viewer) another(p prose, head *place) prose {
	p = p.text("take another iteration")
	if head == nil {
		return p
	}
	return v.place(p.text(" ("), *head).text(")")
}

// failsOf and passesOf name the runs that a count of iterations says something of.
func failsOf(d *divergence.Divergence) string {
	return someOf(d.Table.FailTaken, d.Table.FailTaken+d.Table.FailNot, "failing run")
}

func passesOf(d *divergence.Divergence) string {
	return someOf(others(d), d.Table.PassTaken+d.Table.PassNot, "passing run")
}

// others is how many passing runs were seen to make as many iterations as failing runs
// did not, or to go the way that they never went.
func others(d *divergence.Divergence) int {
	if d.Loop.Passing > 0 {
		return d.Loop.Passing - d.Table.PassTaken
	}
	return d.Table.PassNot
}

// someOf is "failing runs" if it is all of them.
func someOf(k, n int, what string) string {
	if k == n {
		return what + "s"
	}
	return fmt.Sprintf("%d of %s", k, plural(n, what))
}

// leaves says where a loop was left for, by took of the runs that left it.
func (v *viewer) leaves(p prose, e trace.Event, at *place, took, of int) prose {
	some := ""
	if took > 0 && took < of {
		some = fmt.Sprintf(", in %d of them", took)
	}
	switch {
	case e == 0 && some != "":
		return p.text(fmt.Sprintf("leave the loop, and %d of these do no more in this goroutine", took))
	case e == 0:
		return p.text("do no more in this goroutine")
	case at == nil:
		return p.text("leave the loop")
	}
	return v.place(p.text("leave the loop ("), *at).text(some + ")")
}
