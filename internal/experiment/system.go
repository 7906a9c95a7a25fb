package experiment

import (
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/ddmin"
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

// screenReads has reads return few bytes: those of one block after the other, then all at once.
func (s *search) screenReads() error {
	err := s.eachAsker(trace.ActRead, func(b uint32) (tried []perturb.Act, cure []Trial) {
		return []perturb.Act{perturb.Most(b, 1), perturb.Most(b, 16)}, []Trial{do(perturb.Most(b, math.MaxInt32))}
	})
	if err != nil || s.explained() {
		return err
	}
	return s.screenAllReads()
}

// screenAllReads has the reads of all blocks return one byte, and keeps those that are needed.
// What one has read ahead another need not read: the client of net/http reads the head of a
// response in a goroutine of its own, with as much of the body as there is.
func (s *search) screenAllReads() error {
	if len(s.askers(trace.ActRead)) == 0 {
		return nil
	}
	all := do(perturb.Most(0, 1))               // which acts in runs too in which some block does not ask
	o, err := s.run(s.ctx, "reads", all, false) // for who asks then
	if err != nil {
		return err
	}
	s.asks = append(s.asks, o.Draws...)
	blocks := s.askers(trace.ActRead)
	if len(blocks) < 2 {
		return nil
	}
	return s.family("reads", []Trial{all}, func(f *Finding, passed []Trial) error {
		fails := func(part []uint32) (bool, error) {
			_, is, err := s.once(s.ctx, "reads", mostAt(part, 1), &f.Sig)
			return is == tellsFailure, err
		}
		if is, err := fails(blocks); err != nil || !is { // it is a read of somebody else's
			s.pending = nil
			return err
		}
		needed, err := ddmin.Least(blocks, fails)
		if err != nil {
			return err
		}
		f.Trial, f.blocks = mostAt(needed, 1), nil
		for _, b := range needed {
			f.blocks = append(f.blocks, int(b))
		}
		if err := s.shamElsewhere(f, trace.ActRead); err != nil {
			return err
		}
		if err := s.cureAmong(f, append(passed, mostAt(needed, math.MaxInt32))); err != nil {
			return err
		}
		return s.conclude(f)
	})
}

// mostAt has the reads of all these blocks return at most n bytes.
func mostAt(blocks []uint32, n int64) Trial {
	var list []perturb.Act
	for _, b := range blocks {
		list = append(list, perturb.Most(b, n))
	}
	return do(list...)
}

// screenDirs has directories read in other orders.
func (s *search) screenDirs() error {
	return s.eachAsker(trace.ActDir, func(b uint32) (tried []perturb.Act, cure []Trial) {
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
	err := s.eachAsker(trace.ActLimits, func(b uint32) (tried []perturb.Act, cure []Trial) {
		return []perturb.Act{perturb.Port(b, perturb.PortTaken)}, []Trial{do(perturb.Port(b, perturb.PortFree))}
	})
	if err != nil || s.explained() {
		return err
	}
	if err := s.screenMachine(); err != nil || s.explained() {
		return err
	}
	return s.family("files", []Trial{do(perturb.Files(fewFiles))}, func(f *Finding, _ []Trial) error {
		if err := s.cureAmong(f, []Trial{do(perturb.Files(math.MaxInt32))}); err != nil {
			return err
		}
		return s.conclude(f)
	})
}

// eachAsker tries settings for each block that asks for something of a kind.
func (s *search) eachAsker(kind trace.ActKind, of func(b uint32) (tried []perturb.Act, cure []Trial)) error {
	if err := s.survey(); err != nil {
		return err
	}
	for _, b := range s.askers(kind) {
		tried, cure := of(b)
		var trials []Trial
		for _, x := range tried {
			trials = append(trials, do(x))
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
		if slices.Contains(f.blocks, int(b)) {
			continue
		}
		if is, err := s.shamIs(f, do(f.Trial.Plan.Acts[0].Moved(perturb.Position{Block: b}))); is || err != nil {
			return err
		}
	}
	return nil
}
