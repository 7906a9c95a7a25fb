package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// This file finds the changes that a test leaves behind beside variables of the package, and where
// a test that needs another one before it lacks a step of that one.

// A processChange is where a test changes a part of its process that this test looks at.
type processChange struct {
	what string // in words
	link finding.Link
	span trace.Span
}

// process returns the last change that blocks make to the environment, or to the working directory, if the deciding
// condition is computed from that, or failing runs looked at it before they diverged; nil if there is none.
func (s *scene) process(blocks []int) (best *processChange) {
	for _, b := range blocks {
		for _, o := range s.Source.Block(b, source.Call) {
			what, origin := s.changesProcess(o)
			if what == "" || s.setsItself(o) {
				continue
			}
			if link := s.lookedAt(origin, o); link != finding.Unlinked && (best == nil || what == best.what) {
				best = &processChange{what, link, s.lineOf(o)}
			}
		}
	}
	return best
}

// setsItself reports whether failing runs set the variable of the environment that a call sets, before they diverge:
// then the value that another test has left there is gone.
func (s *scene) setsItself(by *source.Op) bool {
	name := s.Source.String(by, 0)
	return name != "" && slices.ContainsFunc(s.steps, func(st *step) bool {
		return slices.ContainsFunc(st.d.Common, func(c divergence.Count) bool {
			return slices.ContainsFunc(s.Source.Block(c.Block, source.Call), func(o *source.Op) bool {
				return (o.How == "os.Setenv" || o.How == "os.Unsetenv") && s.Source.String(o, 0) == name
			})
		})
	})
}

// changesProcess returns the part of the process that a call changes, and where it shows, as
// [source.Op.Origin] has it; "" if none.
func (s *scene) changesProcess(o *source.Op) (what, origin string) {
	switch o.How {
	case "os.Setenv", "os.Unsetenv":
		if name := s.Source.String(o, 0); name != "" {
			return "the environment variable " + name, "the environment"
		}
		return "an environment variable", "the environment"
	case "os.Clearenv":
		return "the environment", "the environment"
	case "os.Chdir":
		return "the working directory", "the working directory"
	}
	return "", ""
}

// lookedAt returns how close to the deciding condition failing runs looked at the part that a call changes. Of two
// variables of the environment that have names the names must agree.
func (s *scene) lookedAt(origin string, by *source.Op) (best finding.Link) {
	name := s.Source.String(by, 0)
	for _, st := range s.steps {
		for _, c := range st.d.Common {
			for _, o := range s.Source.Block(c.Block, source.Draw) {
				other := s.Source.String(o, 0)
				if o.How == "os.TempDir" {
					other = "TMPDIR"
				}
				if o.Origin != origin || name != "" && other != "" && name != other {
					continue
				}
				best = max(best, st.links[o], finding.Mentions)
			}
		}
	}
	return best
}

// unset returns where this test begins, if in failing runs nothing has set the variable that another test sets,
// without which it fails: up to the line of it at which it comes to where runs diverge.
func (s *scene) unset(write *source.Op, e finding.Evidence, r legator) []finding.Suspect {
	st := s.failed()
	if st == nil {
		return nil
	}
	for _, w := range s.Source.Of(write.Obj(), source.Write) {
		if s.ran(w.Block) {
			return nil
		}
	}
	frames, first := s.frames(st.d.Path, true), s.testFunc(s.Test.Name)
	if len(frames) == 0 || first.File == "" {
		return nil
	}
	last := frames[len(frames)-1]
	if last.File != first.File || last.Line < first.Line {
		return nil
	}
	r.reason = reason{whyUnset, frameOf(s.lineOf(write))}
	return []finding.Suspect{at(trace.Span{File: first.File, Start: first.Line,
		End: min(last.Line, first.Line+maxWindow-1)}, e, r)}
}
