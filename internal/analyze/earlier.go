package analyze

import (
	"path"
	"strings"

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
