package analyze

import (
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// describeEarlier adds the tests that decide by having run before: each is a
// place where state comes from that the failed test meets.
func (an *Analyzer) describeEarlier(f *finding.Failure, pkg string) {
	e := f.Analysis.Earlier
	if e == nil {
		return
	}
	for _, name := range e.Tests {
		at, ok := an.testFunc(pkg, name)
		if !ok {
			continue
		}
		f.Data = append(f.Data, finding.DataDivergence{
			Kind: finding.DataTest, Expr: name, At: at, Source: "the order of tests",
		})
	}
}

// testFunc returns the place of a test function of a package.
func (an *Analyzer) testFunc(pkg, name string) (trace.Frame, bool) {
	for i, fn := range an.Sites.Funcs {
		file := an.Sites.Files[fn.File].Name
		dir := path.Dir(file)
		if fn.Name == name && (dir == pkg || dir == pkg+"_test") && strings.HasSuffix(file, "_test.go") {
			return an.Sites.Frame(i, fn.Line), true
		}
	}
	return trace.Frame{}, false
}

// countElse counts, for verdicts that tests before this one decide, the recorded runs that did not follow: those that
// failed so though the tests had not run before, or had where they are needed, and those that passed the other way.
func (an *Analyzer) countElse(t *finding.Test) {
	for i := range t.Verdicts {
		v := &t.Verdicts[i]
		if v.Kind() != "tests" || len(v.Tests()) == 0 || an.runs == nil {
			continue
		}
		u := &v.Proof.Unforced
		*u = proof.Unforced{}
		for _, r := range t.Runs {
			failed := r.Failure >= 0 && v.About(t.Failures[r.Failure])
			had, known := an.hadBefore(t, r.N, v.Tests())
			switch so := had != v.Needs(); {
			case !known, r.Provoked != "":
			case failed && !so:
				u.FailedElse++
			case r.Status == finding.Passed && so:
				u.PassedSo++
			}
		}
	}
}

// hadBefore reports whether all of some top-level tests had begun in a run before a test did, and whether it ran.
func (an *Analyzer) hadBefore(t *finding.Test, n int, tests []string) (had, ran bool) {
	for _, pkg := range an.runs.Packages {
		i := slices.IndexFunc(pkg.Runs, func(r *runner.Run) bool { return r.N == n })
		if pkg.ImportPath != t.Package || i < 0 {
			continue
		}
		missing := slices.Clone(tests)
		for _, o := range pkg.Runs[i].Outcomes {
			if o.Test == trace.TopTest(t.Name) {
				return len(missing) == 0, true
			}
			missing = slices.DeleteFunc(missing, func(name string) bool { return name == o.Test })
		}
	}
	return false, false
}
