package experiment

import (
	"fmt"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

const (
	lateDose   = sweepDose
	later      = 4 * sweepDose
	lateChecks = 3 // runs in a row that a tenth of the dose has to pass
	tenth      = 10
)

// screenTimers has what each block sets fire late.
func (s *search) screenTimers() error {
	if err := s.survey(); err != nil {
		return err
	}
	for _, dose := range []time.Duration{lateDose, later} {
		if err := s.lateTimers(dose); err != nil || s.explained() {
			return err
		}
	}
	return nil
}

func (s *search) lateTimers(dose time.Duration) error {
	var trials []Trial
	for _, b := range s.askers(trace.ActTimer) {
		trials = append(trials, do(perturb.Late(b, dose)))
	}
	return s.family("late timers", trials, func(f *Finding, passed []Trial) error {
		f.dose = dose
		return s.lateFound(f, passed)
	})
}

// lateFound completes a finding about a timer: how late is too late, and for whom.
func (s *search) lateFound(f *Finding, passed []Trial) error {
	if err := s.dose(f); err != nil || f.chance {
		return err
	}
	block := f.Trial.Plan.Acts[0].At.Block
	f.blocks = []int{int(block)}
	if len(passed) > 0 {
		f.sham = ptr(dosed(passed[0], times(f.Smallest, factor)))
	} else if err := s.littleLate(f); err != nil {
		return err
	}
	s.tight(f, int(block))
	return s.conclude(f)
}

// littleLate takes a tenth of the dose as the cure, where no other timer could be a sham:
// it shows that what decides is how late that one is.
func (s *search) littleLate(f *Finding) error {
	t := dosed(f.Trial, f.Smallest/tenth)
	is, acts, err := s.always(s.ctx, "a little late", t, &f.Sig, false, lateChecks)
	if is && acts {
		f.cure = &t
	}
	return err
}

// tight names the limit of time that is too tight: about as long as what the timer was
// set to and the lateness that fails; or, where that is not written there, the lateness.
func (s *search) tight(f *Finding, block int) {
	span, ok := s.Sites.Pos(block)
	if !ok {
		return
	}
	var own time.Duration
	for _, l := range s.limits() {
		if l.file == span.File && span.Start <= l.line && l.line <= span.End {
			own = l.d
		}
	}
	for _, l := range s.limits() {
		if l.file == span.File && span.Start <= l.line && l.line <= span.End {
			continue
		}
		if gap := float64(l.d - own); 0.7*gap <= float64(f.Smallest) && float64(f.Smallest) <= l.upTo()*gap {
			f.Limit = fmt.Sprintf("%s (%s:%d)", l.text, l.file, l.line)
			return
		}
	}
}
