package experiment

import (
	"regexp"
	"slices"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// What the machine around a process is like is the same for the whole of it, so that there is
// no elsewhere: the control is the machine as it is, or another one on which the test passes.

// machines are what a machine may be like otherwise, by what the program asks for.
var machines = []struct {
	asks  trace.ActKind
	whats []perturb.Aspect
}{
	{trace.ActNetwork, []perturb.Aspect{perturb.NetworkNone}},
	{trace.ActTemp, []perturb.Aspect{perturb.TempFresh}},
	{trace.ActHome, []perturb.Aspect{perturb.HomeFresh, perturb.HomeNone}},
}

// screenMachine takes the network away, and has other directories, where the test asks for
// these.
func (s *search) screenMachine() error {
	if err := s.survey(); err != nil {
		return err
	}
	for _, m := range machines {
		if !slices.ContainsFunc(s.asks, func(d trace.Draw) bool { return d.Kind == m.asks }) {
			continue
		}
		var trials []Trial
		for _, what := range m.whats {
			trials = append(trials, do(perturb.Machine(what)))
		}
		err := s.family("machine", trials, func(f *Finding, passed []Trial) error {
			if list := s.askers(m.asks); len(list) <= maxAskers {
				for _, b := range list {
					f.blocks = append(f.blocks, int(b))
				}
			}
			if err := s.cureAmong(f, append(passed, do(perturb.Machine(perturb.AsItIs)))); err != nil {
				return err
			}
			return s.conclude(f)
		})
		if err != nil || s.explained() {
			return err
		}
	}
	return nil
}

// maxAskers is how many blocks may ask for something for all of them to be named.
const maxAskers = 5

var machineWords = regexp.MustCompile(`\bos\.(TempDir|MkdirTemp|CreateTemp|UserHomeDir|UserCacheDir|UserConfigDir|Getenv|StartProcess)\b|\bexec\.Command|\bnet\.(\w*Dial|Listen|Lookup|Resolve)|\bhttp\.(Get|Post|Head|Client|DefaultClient|ListenAndServe)`)

// hintedLimits does what screenLimits does where a hint is about a function that asks for a
// port, another machine, or a directory.
func (s *search) hintedLimits() error {
	if !slices.ContainsFunc(s.hints(), s.nearMachine) {
		return nil
	}
	if err := s.survey(); err != nil {
		return err
	}
	for _, kind := range []trace.ActKind{trace.ActLimits, trace.ActNetwork, trace.ActTemp, trace.ActHome} {
		if s.hintedAsker(kind) {
			return s.screenLimits()
		}
	}
	return nil
}

// nearMachine reports whether the file that a hint is about asks for any of that.
func (s *search) nearMachine(h Hint) bool {
	if h.File == "" || s.Source == nil {
		return false
	}
	src, err := s.Source(h.File)
	return err == nil && machineWords.Match(src)
}

// hintedAsker reports whether a hint is about a function that asks for something of a kind.
func (s *search) hintedAsker(kind trace.ActKind) bool {
	return slices.ContainsFunc(s.askers(kind), func(b uint32) bool {
		f := s.Sites.Funcs[s.Sites.Blocks[b].Func]
		file := s.Sites.Files[f.File].Path
		return slices.ContainsFunc(s.hints(), func(h Hint) bool { return h.File == file && h.Start <= f.End && f.Line <= h.End })
	})
}
