package report

import (
	"fmt"

	"github.com/fdebug/fdebug/divergence"
)

// Texts of the callouts. "Next" is right after the last common line, at this very
// visit: the same line may well be run earlier or later by runs of either outcome.

func (v *viewer) lastText(d *divergence.Divergence) string {
	switch {
	case d.SamePath && d.Followed == 0 && !d.Exact:
		return fmt.Sprintf("last line before that in failing run %d", d.FailingRun)
	case d.Left:
		return "in the loop; from here failing runs never go on as passing runs do"
	case d.Iteration > 1 && d.Exact:
		return fmt.Sprintf("last common line, the %s time it ran", ordinal(d.Iteration))
	case d.Iteration > 1:
		return fmt.Sprintf("last common line, the %s time it ran in failing run %d", ordinal(d.Iteration), d.FailingRun)
	}
	return "last common line"
}

func passText(d *divergence.Divergence) string {
	passes := d.Table.PassNot + d.Table.PassTaken
	some := unlessAll(d, d.PassTook+d.Table.PassTaken, passes)
	switch {
	case d.Loop != nil && d.Loop.Limit == 0:
		return "in some iteration in " + ofAll(others(d), passes, "passing run")
	case d.Loop != nil && d.Loop.More:
		return "next in " + ofAll(d.PassTook, passes, "passing run") + ", leaving the loop"
	case d.Loop != nil:
		return fmt.Sprintf("next in passing runs: at least %s in %s", plural(int(d.Loop.Limit), "iteration"), ofAll(others(d), passes, "passing run"))
	case d.PassTook == 0:
		return fmt.Sprintf("next in passing run %d", d.PassingRun)
	case d.InLoop && !d.Left:
		return "next, in the iteration in which runs part, in " + some + ofAll(d.PassTook, passes, "passing run")
	case d.PassTook < passes && likeFailing(d) > 0:
		return fmt.Sprintf("next in %d of %s that %s until then", d.PassTook, plural(likeFailing(d), "passing run"), doTheSame(d))
	}
	return "next in " + some + ofAll(d.PassTook, passes, "passing run")
}

// likeFailing returns how many passing runs do until there what a failing run does, if
// no others were followed; else 0.
func likeFailing(d *divergence.Divergence) int {
	if d.Exact && d.PassTook == d.Alike.PassTaken {
		return d.PassTook
	}
	return d.PassAlike
}

func (v *viewer) failText(d *divergence.Divergence) string {
	t, next := d.Table, "next in "
	all := ofAll(t.FailTaken, t.FailTaken+t.FailNot, "failing run")
	if l := d.Loop; l != nil && l.Failing > 0 && l.Failing < t.FailTaken+t.FailNot {
		all = fmt.Sprintf("%d of %s that could be followed", t.FailTaken, plural(l.Failing, "failing run"))
	}
	switch {
	case d.Loop != nil && d.Loop.Limit == 0:
		return fmt.Sprintf("next in failing run %d, the last time", d.FailingRun)
	case d.Loop != nil && d.Loop.More:
		return fmt.Sprintf("next in failing runs: at least %s in %s", plural(int(d.Loop.Limit), "iteration"), all)
	case d.Loop != nil:
		return fmt.Sprintf("next in %s, leaving the loop; fewer than %s in %s",
			ofAll(d.FailTook, t.FailTaken+t.FailNot, "failing run"), plural(int(d.Loop.Limit), "iteration"), all)
	case d.SamePath:
		said := "this check failed"
		if v.f != nil && v.f.Died() {
			said = "the process died here"
		}
		if t.FailNot > 0 { // the others failed on another call path
			said += " at this point"
		}
		return said + " in " + all
	case d.Left && v.src.behindLoop(v.event(d.LastCommon), v.event(d.FailNext)):
		next = "behind the loop, in "
	case d.Left:
		next = "later in "
	case d.InLoop:
		next = "next, in the iteration in which runs part, in "
	case d.Pooled && len(d.Class) > 0:
		next = "next, where runs part, in some goroutine started there, in "
	case d.Pooled:
		next = "next, where runs part, in "
	}
	if t.PassTaken > 0 {
		return fmt.Sprintf("%s%s, and in %d of %s", next, all, t.PassTaken, plural(t.PassTaken+t.PassNot, "passing run"))
	}
	return next + all
}
