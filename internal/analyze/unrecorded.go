package analyze

import (
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// maxBare is how many files without probes a page names.
const maxBare = 5

// noteBare says which files of the package of a test were not recorded: what is in them is seen nowhere on its page.
func (an *Analyzer) noteBare(t *finding.Test) {
	list := an.Meta.Bare[t.Package]
	for _, note := range list[:min(len(list), maxBare)] {
		if !slices.Contains(t.Warnings, note) {
			t.Warnings = append(t.Warnings, note)
		}
	}
}

// unrecorded returns the module in whose code a test fails where that could have been recorded and
// was not, "" if there is none: the failed check is in it, the process died in it, or a
// goroutine that the user's code had call it waits in it.
func (an *Analyzer) unrecorded(t *finding.Test) string {
	if len(an.Meta.Unrecorded) == 0 {
		return ""
	}
	for _, f := range t.Failures {
		for _, stack := range f.Stacks {
			for _, at := range stack { // a check says its place without the directory
				if at.Line == f.Frame.Line && path.Base(at.File) == f.Frame.File {
					if m := an.moduleOf(at); m != "" {
						return m
					}
				}
			}
		}
		for i, g := range runner.ParseDump(f.Dump) {
			if died := i == 0 && f.Died(); died || f.Hang != nil && slices.ContainsFunc(g.Frames, an.isUsers) {
				if m := an.innermost(g.Frames); m != "" {
					return m
				}
			}
		}
	}
	return ""
}

// innermost returns the module of the innermost frame, those of std and of downloaded modules apart,
// "" if that is the user's own.
func (an *Analyzer) innermost(frames []trace.Frame) string {
	for _, f := range frames {
		if m := an.moduleOf(f); m != "" || an.isUsers(f) {
			return m
		}
	}
	return ""
}

// isUsers reports whether a frame is in code that is recorded.
func (an *Analyzer) isUsers(f trace.Frame) bool {
	_, ok := an.Sites.Rel(f.File)
	return ok && an.moduleOf(f) == ""
}

// moduleOf returns the module of a frame's function if it is one that is not recorded.
func (an *Analyzer) moduleOf(f trace.Frame) string {
	best := ""
	for _, m := range an.Meta.Unrecorded {
		if rest, ok := strings.CutPrefix(f.Func, m); ok && len(m) > len(best) &&
			(strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/")) {
			best = m
		}
	}
	return best
}
