package analyze

import (
	"fmt"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Values of a failure are those of its own wording, else of all at the same check,
// and never of another check.
func TestGroupFor(t *testing.T) {
	check, other := trace.Frame{File: "/m/a_test.go", Line: 7}, trace.Frame{File: "/m/a_test.go", Line: 9}
	group := func(at trace.Frame, message string, runs int) *runner.Group {
		g := &runner.Group{Signature: runner.Signature{Test: "TestX", Frame: at, Message: message}}
		for n := range runs {
			g.Runs = append(g.Runs, runner.UnitRun{Run: &runner.Run{N: 10*runs - n}})
		}
		return g
	}
	groups := []*runner.Group{group(other, "bad", 9), group(check, "red is full", 2), group(check, "blue is full", 3)}
	for _, c := range []struct {
		at      trace.Frame
		message string
		want    string // numbers of the runs
	}{
		{check, "red is full", "[20 19]"},
		{check, "green is full", "[19 20 28 29 30]"},
		{other, "bad", "[90 89 88 87 86 85 84 83 82]"},
		{trace.Frame{File: "/m/a_test.go", Line: 8}, "bad", "[]"},
		{trace.Frame{}, "killed", "[]"},
	} {
		f := &finding.Failure{Signature: runner.Signature{Test: "TestX", Frame: c.at, Message: c.message}.String(), Frame: c.at}
		got := []int{}
		if g := groupFor(f, groups); g != nil {
			for _, r := range g.Runs {
				got = append(got, r.Run.N)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: got runs %v, want %s", f.Signature, got, c.want)
		}
	}
}
