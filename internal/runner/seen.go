package runner

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/trace"
)

// A Seen is a failure that somebody saw elsewhere: in a log of CI, of a version of the source that may differ from
// the one here.
type Seen struct {
	Package string   // import path, "" if nothing tells
	Outcome *Outcome // its Test is "" if nothing tells
	Races   []string // reports of the race detector

	check *saying // the call here that printed its message, nil if it is none or not found
}

// Seen returns the failures among outcomes of the transcript.
func (t *Transcript) Seen(outcomes []*Outcome) (list []*Seen) {
	for _, o := range outcomes {
		if o.Status.Failing() && !o.ByChild {
			list = append(list, &Seen{Package: t.pkg, Outcome: o, Races: t.p.races})
		}
	}
	return list
}

// Raced reports whether the race detector reported it.
func (s *Seen) Raced() bool { return strings.HasPrefix(s.Outcome.Signature.Message, dataRace) }

// Here returns the failure as the source of a package here explains it, or by its text if no call there prints it.
func (s *Seen) Here(t Target, modules []string, root string) *Seen {
	here, o := *s, *s.Outcome
	here.Outcome = &o
	e := newExplainer(t, modules, root)
	if here.check = e.saidBy(&o); here.check != nil {
		f := e.checked(here.check.check)
		o.Message = f.message
		o.Signature = Signature{Test: o.Test, Frame: trace.Frame{File: here.check.File, Line: here.check.Line},
			Message: Mask(cmp.Or(f.headline, headline(f.message)))}
		return &here
	}
	e.src.none = true
	o.Signature = Signature{}
	e.explain(&o, &Run{Package: t.ImportPath, Races: s.Races})
	return &here
}

// Is reports whether a failure of the source here is the one that was seen. Lines move and values differ, so a check is
// recognised by its words, and a dump or a race report by its functions. Without -v a test that hangs or dies
// shows no check that failed before.
func (s *Seen) Is(sig Signature, message string) bool {
	seen := s.Outcome.Signature
	switch whole := s.Outcome.Dump != "" || s.Raced(); {
	case seen.Test == "", seen.Test == sig.Test, whole && seen.Test == trace.TopTest(sig.Test):
	default:
		return false
	}
	switch {
	case s.Raced():
		return slices.Equal(racing(seen.Message), racing(sig.Message))
	case s.check != nil:
		return s.check.is(sig.Frame.File, sig.Frame.Line) && (s.check.words || seen.Message == sig.Message)
	case s.Outcome.Dump != "" && !strings.Contains(s.Outcome.Message, then) && strings.Contains(message, then):
		_, end, _ := strings.Cut(message, then)
		return strings.HasPrefix(blockedIn(Mask(end)), blockedIn(seen.Message))
	case seen.Frame.Func != "":
		return seen.Frame.Func == sig.Frame.Func && blockedIn(seen.Message) == blockedIn(sig.Message)
	}
	return seen.Message == sig.Message
}

// racing returns the functions that a headline of a race names.
func racing(headline string) []string {
	names, is := strings.CutPrefix(headline, dataRace)
	if !is {
		return nil
	}
	list := strings.Split(strings.TrimPrefix(names, ": "), " and ")
	slices.Sort(list)
	return list
}

// blockedIn returns the state of the goroutine in the message of a hang, which ends by a limit or as nothing can go
// on; other messages as they are.
func blockedIn(message string) string {
	if _, state, is := strings.Cut(message, " blocked in "); is {
		return state
	}
	return message
}

// Frames returns the stacks of the failure, the most telling first: the goroutine that died, or that the test waits in,
// the others that the test started, both sides of a race.
func (s *Seen) Frames() (list []trace.Frame) {
	if s.Raced() {
		reports := s.Races
		if own := raceReport(s.Outcome.Output); own != "" {
			reports = []string{own}
		}
		for _, text := range reports {
			r, _ := race.Parse(text)
			for _, a := range r.Accesses {
				list = append(list, a.Stack...)
			}
		}
		return list
	}
	first := s.Outcome.Signature.Frame
	gs := ParseDump(s.Outcome.Dump)
	slices.SortStableFunc(gs, func(a, b Dumped) int {
		rank := func(g *Dumped) int {
			switch {
			case slices.Contains(g.Frames, first):
				return 0
			case g.mentions(trace.TopTest(s.Outcome.Test)):
				return 1
			}
			return 2
		}
		return rank(&a) - rank(&b)
	})
	for _, g := range gs {
		list = append(append(list, g.Frames...), g.Creator)
	}
	return list
}

// Check returns the lines here of the failed check, from the one that makes its operands. ok is false if there is none.
func (s *Seen) Check() (file string, from, to int, ok bool) {
	if s.check == nil {
		return "", 0, 0, false
	}
	return s.check.File, s.check.from, s.check.end, true
}

// saidBy returns the call in the source here that failed the test, nil if none is found.
func (e *explainer) saidBy(o *Outcome) *saying {
	for _, c := range checksIn(o.Output) {
		if x := e.saying(c, trace.TopTest(o.Test)); x != nil && x.kind != callLog {
			return x
		}
	}
	return nil
}

// saying returns the call in the source here that a message is of, nil if none is found.
func (e *explainer) saying(c check, test string) *saying {
	t, ok := parseTestify(c.text)
	if !ok {
		return sayingIn(e.fileHere(c.File), test, c)
	}
	for _, f := range t.trace {
		c.Frame = trace.Frame{File: f.File, Line: f.Line}
		if x := assertedIn(e.fileHere(f.File), test, c, t.messages); x != nil {
			return x
		}
	}
	return nil
}

// fileHere returns the path here of a file that a log names: at the same place below the root, or in the package.
func (e *explainer) fileHere(name string) string {
	rest, more := filepath.ToSlash(name), true
	for more && e.scope.root != "" {
		if _, rest, more = strings.Cut(rest, "/"); !more {
			break
		}
		file := filepath.Join(e.scope.root, filepath.FromSlash(rest))
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return e.src.path(baseName(name))
}
