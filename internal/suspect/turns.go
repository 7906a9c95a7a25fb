package suspect

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
)

// turns takes in where a test begins that starts from what other tests have left
// in a package variable: their order is not that of other runs, the deciding code
// reads it, and the test does not set it anew. That is a last resort, for tests of
// one goroutine which nothing else explains; it is more if the outcome goes with
// which test was the last to set the variable.
func (f *finder) turns() {
	l, d := f.Analysis.LastTests, f.last()
	if l == nil || d == nil || d.Goroutine == nil || !d.Goroutine.Root || len(d.Common) == 0 || f.disturbed() {
		return
	}
	for _, name := range f.inherited(d) {
		t := l.Of(f.setters(name))
		score, why := 0.815, fmt.Sprintf("begins with what tests before it have left in %s, whose order is not the same in all runs, and does not set it anew", name)
		if t.P <= maxTurnP {
			score, why = 0.97, fmt.Sprintf("begins with what tests before it have left in %s, and does not set it anew: the last one that did was %s in failing runs, and %s in passing runs", name, someTests(t.Failing), someTests(t.Passing))
		}
		f.addBlock(d.Common[0].Block, score, why)
	}
}

// maxTurnP is the p-value above which tests are taken for chance.
const maxTurnP = 0.01

// disturbed reports whether something other than tests before this one may decide:
// another goroutine, or a value from chance.
func (f *finder) disturbed() bool {
	for i := range f.Analysis.Chain {
		if b, _ := f.changedMeanwhile(i); b != 0 {
			return true
		}
	}
	return len(f.Analysis.Orders)+len(f.Analysis.Lingering)+len(f.Analysis.Halfway)+len(f.Data) > 0 || f.Hang != nil
}

// inherited returns the package variables that the deciding code reads, which
// code that other tests ran sets, and this test had not.
func (f *finder) inherited(d *divergence.Divergence) []string {
	reads, set := f.reads(d), names{}
	for _, c := range d.Common {
		_, written := f.src.names(c.Block)
		maps.Copy(set, written)
	}
	var list []string
	for name := range reads {
		if f.src.packageVars(path.Dir(f.file(d.Common[0].Block)))[name] && !set[name] && !isLock(name) && len(f.setters(name)) > 0 {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// setters returns the blocks that other tests ran which assign to a package variable.
func (f *finder) setters(name string) []int {
	var list []int
	for b := range f.Analysis.LastTests.Turn {
		if _, written := f.src.names(b); written[name] {
			list = append(list, b)
		}
	}
	return list
}

// someTests names the tests of a count.
func someTests(list []divergence.TestCount) string {
	var out []string
	for i, t := range list {
		if i == maxNamedTests && len(list)-i > 1 {
			return fmt.Sprintf("%s or %d others", strings.Join(out, ", "), len(list)-i)
		}
		if t.Test == "" {
			t.Test = "none"
		}
		out = append(out, fmt.Sprintf("%s (%d)", t.Test, t.N))
	}
	if n := len(out); n > 1 {
		return strings.Join(out[:n-1], ", ") + " or " + out[n-1]
	}
	return strings.Join(out, "")
}

const maxNamedTests = 3
