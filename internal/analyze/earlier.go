package analyze

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
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
			Expr: name, At: at, Source: "the order of tests", Why: earlierWords(e), Sure: true,
		})
	}
}

// earlierWords says how having run tests before goes with the outcome.
func earlierWords(e *divergence.Earlier) string {
	who, verb := "it", "leaves something behind that fails this test"
	if len(e.Tests) > 1 {
		who = fmt.Sprintf("one of %s and %s", strings.Join(e.Tests[:len(e.Tests)-1], ", "), e.Tests[len(e.Tests)-1])
	}
	t := e.Table
	fail, pass := t.FailTaken, t.PassTaken
	if !e.FailsIf { // the table counts runs that have none of them before
		fail, pass, verb = t.FailNot, t.PassNot, "sets something up that this test needs"
	}
	return fmt.Sprintf("%s had run before in %d of %d failing runs and in %d of %d passing runs, so it seems that it %s",
		who, fail, t.FailTaken+t.FailNot, pass, t.PassTaken+t.PassNot, verb)
}

// testFunc returns the place of a test function of a package.
func (an *Analyzer) testFunc(pkg, name string) (trace.Frame, bool) {
	for _, fn := range an.Sites.Funcs {
		file := an.Sites.Files[fn.File]
		dir := path.Dir(file.Name)
		if fn.Name == name && (dir == pkg || dir == pkg+"_test") && strings.HasSuffix(file.Name, "_test.go") {
			return trace.Frame{Func: name, File: filepath.Join(an.Sites.Root, filepath.FromSlash(file.Path)), Line: fn.Line}, true
		}
	}
	return trace.Frame{}, false
}
