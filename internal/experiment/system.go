package experiment

import (
	"math"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// What the operating system gives is set for one block that asks for it, and the sham is
// another one. Where there is none, or plain runs fail too, the cure is the same block set
// otherwise.

const (
	dirOrders = 4   // that each directory is read in
	fewFiles  = 256 // descriptors that a process has with a low limit: what macOS sets at first
)

// screenReads has reads return few bytes.
func (s *search) screenReads() error {
	return s.eachAsker(trace.ActRead, func(b uint32) (tried []perturb.Setting, cure []Trial) {
		return []perturb.Setting{perturb.Most(b, 1), perturb.Most(b, 16)}, []Trial{setTo(perturb.Most(b, math.MaxInt32))}
	})
}

// screenDirs has directories read in other orders.
func (s *search) screenDirs() error {
	return s.eachAsker(trace.ActDir, func(b uint32) (tried []perturb.Setting, cure []Trial) {
		for i := range dirOrders {
			tried = append(tried, perturb.Entries(b, int64(s.seed("dir", i)>>1)))
		}
		return tried, nil
	})
}

// screenLimits has ports taken, a machine that is another one, and few files.
func (s *search) screenLimits() error {
	if s.limited {
		return nil
	}
	s.limited = true
	err := s.eachAsker(trace.ActLimits, func(b uint32) (tried []perturb.Setting, cure []Trial) {
		return []perturb.Setting{perturb.Port(b, perturb.PortTaken)}, []Trial{setTo(perturb.Port(b, perturb.PortFree))}
	})
	if err != nil || s.explained() {
		return err
	}
	if err := s.screenMachine(); err != nil || s.explained() {
		return err
	}
	return s.family("files", []Trial{setTo(perturb.Files(fewFiles))}, func(f *Finding, _ []Trial) error {
		if err := s.cureAmong(f, []Trial{setTo(perturb.Files(math.MaxInt32))}); err != nil {
			return err
		}
		return s.conclude(f)
	})
}

// eachAsker tries settings for each block that asks for something of a kind.
func (s *search) eachAsker(kind trace.ActKind, of func(b uint32) (tried []perturb.Setting, cure []Trial)) error {
	if err := s.survey(); err != nil {
		return err
	}
	for _, b := range s.askers(kind) {
		tried, cure := of(b)
		var trials []Trial
		for _, x := range tried {
			trials = append(trials, setTo(x))
		}
		err := s.family(kind.String()+"s", trials, func(f *Finding, passed []Trial) error {
			f.blocks = []int{int(b)}
			if err := s.cureAmong(f, append(passed, cure...)); err != nil {
				return err
			}
			if err := s.shamElsewhere(f, kind); err != nil {
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

// shamElsewhere takes the same setting for another block as the sham, if that passes.
func (s *search) shamElsewhere(f *Finding, kind trace.ActKind) error {
	for _, b := range s.askers(kind) {
		if int(b) == f.blocks[0] {
			continue
		}
		t := addSettings(Trial{}, f.Trial.Plan.Settings...)
		t.Plan.Settings[0].Block = b
		passes, err := s.passesOnce(t)
		if err != nil {
			return err
		}
		if passes {
			f.sham = &t
			return nil
		}
	}
	return nil
}
