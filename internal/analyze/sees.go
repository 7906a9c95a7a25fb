package analyze

import (
	"context"
	"path"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// recordedResults are the functions whose results recording can change: it adds code to functions, so that others are
// inlined and other values are on the heap, builds them in other directories, and adds to the environment.
var recordedResults = []string{
	"testing.AllocsPerRun", "testing.Benchmark", "runtime.ReadMemStats", "runtime/metrics.Read",
	"runtime.Caller", "runtime.Callers", "runtime.CallersFrames", "runtime.FuncForPC", "runtime.Stack",
	"runtime/debug.Stack", "runtime/debug.PrintStack", "runtime/debug.ReadBuildInfo", "os.Environ",
}

// seesDeep is how many calls deep the test is searched for them.
const seesDeep = 3

// sees returns where a test calls such a function, or what it calls does; none if no such call is seen.
func (an *Analyzer) sees(ctx context.Context, t *finding.Test, f *finding.Failure) trace.Frame {
	x := an.Load(ctx, []string{t.Package})
	for _, fn := range an.Sites.Funcs {
		file := &an.Sites.Files[fn.File]
		rel, _ := an.Sites.Rel(f.Frame.File)
		checks := file.Path == rel && fn.Line <= f.Frame.Line && f.Frame.Line <= fn.End
		if !checks && (fn.Name != trace.TopTest(t.Name) || path.Dir(file.Name) != t.Package) {
			continue
		}
		calls := x.Lines(file.Path, fn.Line, fn.End, source.Call, source.Go, source.Defer)
		for _, o := range slices.Clone(calls) {
			calls = append(calls, x.Inside(o, seesDeep, source.Call)...)
		}
		for _, o := range calls {
			if slices.Contains(recordedResults, o.How) {
				at, line := x.Place(o)
				return trace.Frame{File: filepath.Join(an.Sites.Root, filepath.FromSlash(at)), Line: line}
			}
		}
	}
	return trace.Frame{}
}
