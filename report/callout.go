package report

import (
	"fmt"

	"github.com/fdebug/fdebug/divergence"
)

// Texts of the callouts.

func (v *viewer) lastText(d *divergence.Divergence) string {
	if d.Iteration > 1 {
		return fmt.Sprintf("last common line, the %s time it ran", ordinal(d.Iteration))
	}
	return "last common line"
}

func passText(d *divergence.Divergence) string {
	t := d.Table
	switch {
	case t.PassNot+t.PassTaken == 0:
		return "only in passing runs"
	case t.FailNot == 0:
		return fmt.Sprintf("only in passing runs, %d of %d", t.PassNot, t.PassNot+t.PassTaken)
	}
	return fmt.Sprintf("in passing runs, %d of %d; %d of %d failing runs did not go the failing way either",
		t.PassNot, t.PassNot+t.PassTaken, t.FailNot, t.FailNot+t.FailTaken)
}

func failText(d *divergence.Divergence) string {
	t, what := d.Table, "only in failing runs"
	if d.SamePath {
		what = "this check failed, only in failing runs"
	}
	switch {
	case t.FailTaken+t.FailNot == 0:
		return what
	case t.PassTaken == 0:
		return fmt.Sprintf("%s, %d of %d", what, t.FailTaken, t.FailTaken+t.FailNot)
	}
	return fmt.Sprintf("in failing runs, %d of %d; also in %d of %d passing runs",
		t.FailTaken, t.FailTaken+t.FailNot, t.PassTaken, t.PassTaken+t.PassNot)
}
