package session

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/testname"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// LookFor makes the failures in a file those to look for. It chooses their tests among those that were named, or if
// named is not set, anywhere in the module.
func (j *Session) LookFor(file string, seen []*runner.Seen, named bool) error {
	if len(seen) == 0 {
		return advice.With(fmt.Errorf("-like %s: there is no failure of a Go test in it", file),
			"it reads what go test prints, also with -v or -json, JUnit XML, dumps of goroutines and data races")
	}
	held := testsOf(seen)
	if j.Sel.Run != "" {
		seen = slices.DeleteFunc(slices.Clone(seen), func(s *runner.Seen) bool {
			return s.Outcome.Test != "" && !j.Sel.Has(trace.TopTest(s.Outcome.Test))
		})
	} else if j.BundleFile == "" {
		dirs := make(map[string]bool)
		seen = slices.DeleteFunc(slices.Clone(seen), func(s *runner.Seen) bool { return !j.declares(s, dirs) })
		if !named && len(dirs) > 0 {
			j.Patterns = slices.Sorted(maps.Keys(dirs))
		}
	}
	if len(seen) == 0 {
		return j.noneLike(file, held)
	}
	if tests := testsOf(seen); j.Sel.Run == "" && !slices.Contains(tests, "") {
		j.Sel.Run = PatternOf(tests)
	}
	j.Like, j.LikeFile = seen, file
	if slices.ContainsFunc(seen, (*runner.Seen).Raced) && !j.Sanitized() && j.Takes("race") {
		j.Flags = append(j.Flags, "-race=true")
	}
	return nil
}

// noneLike is the error for a file with failures of other tests than those that were asked for.
func (j *Session) noneLike(file string, held []string) error {
	asked := "module"
	if m, err := testname.ModuleOf(j.AbsDir()); err == nil {
		asked += " " + m.Path
	}
	if j.Sel.Run != "" {
		asked = "-run " + text.ShellQuote(j.Sel.Run)
	}
	return advice.With(fmt.Errorf("-like %s: no test of %s fails in it", file, asked),
		"it has failures of "+text.FewNames(held))
}

// testsOf returns the top-level tests that failed, each once.
func testsOf(seen []*runner.Seen) (list []string) {
	for _, s := range seen {
		if name := trace.TopTest(s.Outcome.Test); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// declares reports whether the module has the test of a failure, and adds the directories of the packages that do: that
// of its package or, if that is not known here, of all.
func (j *Session) declares(s *runner.Seen, dirs map[string]bool) bool {
	m, err := testname.ModuleOf(j.AbsDir())
	if err != nil {
		return true // the go command reports the error
	}
	name := trace.TopTest(s.Outcome.Test)
	if name == "" {
		if rel, ok := strings.CutPrefix(s.Package+"/", m.Path+"/"); ok && s.Package != "" {
			dirs[j.relative(filepath.Join(m.Root, filepath.FromSlash(rel)))] = true
			return true
		}
		return s.Package == ""
	}
	found, err := m.Find(testname.Name{Package: s.Package, Test: name})
	if err == nil && len(found) == 0 {
		found, err = m.Find(testname.Name{Test: name})
	}
	for _, dir := range found {
		dirs[j.relative(dir)] = true
	}
	return err == nil && len(found) > 0
}

// like returns the failures of a test that are looked for, and where in the source that points.
func (l *Lab) like(test string) (seen []*runner.Seen, hints []freedom.Hint) {
	j := l.Job
	for _, s := range j.Like {
		elsewhere := slices.ContainsFunc(j.Plan.Packages, func(p instrument.Package) bool {
			return p.ImportPath == s.Package
		})
		name := trace.TopTest(s.Outcome.Test)
		if s.Package != l.Target.ImportPath && elsewhere || name != "" && name != test {
			continue
		}
		here := s.Here(l.Target, j.Plan.Modules, j.Here(j.Plan.Sites.Root))
		seen, hints = append(seen, here), append(hints, hintsOf(here, j.Plan.Sites)...)
	}
	if h, ok := hintOf(trace.Frame{Func: l.Target.ImportPath + "." + test}, j.Plan.Sites); ok && len(seen) > 0 {
		hints = append(hints, h)
	}
	return seen, hints
}

// hintsOf returns where a failure points: the check and its operands, then the stacks.
func hintsOf(s *runner.Seen, sites *trace.Sites) (list []freedom.Hint) {
	if file, from, to, ok := s.Check(); ok {
		if rel, ok := sites.Rel(file); ok {
			list = append(list, freedom.Hint{Span: trace.Span{File: rel, Start: from, End: to}})
		}
	}
	for _, f := range s.Frames() {
		if h, ok := hintOf(f, sites); ok && !slices.ContainsFunc(list, func(o freedom.Hint) bool {
			return o.File == h.File && o.Start == h.Start && o.End == h.End
		}) {
			list = append(list, h)
		}
	}
	return list
}

// hintOf returns where a frame of a stack is here: its line if that is still in its function, else the function.
func hintOf(f trace.Frame, sites *trace.Sites) (h freedom.Hint, ok bool) {
	called := strings.ReplaceAll(f.Func, "[...]", "")
	for _, fn := range sites.Funcs {
		file := sites.Files[fn.File]
		pkg := path.Dir(file.Name)
		if called != pkg+"."+fn.Name && called != pkg+"_test."+fn.Name {
			continue
		}
		h = freedom.Hint{Span: trace.Span{File: file.Path, Start: fn.Line, End: fn.End}}
		if path.Base(filepath.ToSlash(f.File)) == path.Base(file.Path) && fn.Line <= f.Line && f.Line <= fn.End {
			h.Start, h.End = f.Line, f.Line
		}
		return h, true
	}
	return h, false
}
