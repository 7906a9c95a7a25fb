package experiment

import (
	"fmt"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

const (
	belowLimit  = 0.6 // times a limit that a stall is held which must not fail
	beyondLimit = 1.5 // times that one is which must
	limitRuns   = 10  // of each
	placeRuns   = 5   // of stalls where the goroutine begins
	beyondRuns  = 3   // times as long as a run is a stall that tells only that there is a limit
	leastBeyond = 10 * time.Millisecond
)

// timing says of a finding what the length of its shortest stall tells. A stall about as
// long as a sleep is what the test counts on. One about as long as a limit of time may be
// so by chance: it is a deadline artefact, which tells only that the test has that limit,
// if that is shown. So is one that takes longer than a whole run, if the test never fails by
// itself and the place makes no difference: nothing that orders goroutines waits that long.
func (s *bench) timing(f *Finding) error {
	d := f.Smallest
	if d == 0 {
		return nil
	}
	var limit *timeLimit
	for _, l := range s.limits() {
		if !l.about(d) {
			continue
		}
		if l.Slept {
			f.Limit = l.String()
			return nil
		}
		limit = &l
	}
	switch {
	case !s.hardlyEver(&f.Sig):
		return nil // it fails without being held for that long
	case limit != nil:
		return s.againstLimit(f, limit)
	}
	if d >= leastBeyond && d > beyondRuns*s.usualTime() {
		return s.beyondRun(f)
	}
	return nil
}

// beyondRun sees whether a stall that is longer than a run fails wherever the goroutine is
// held. Its length alone tells nothing: on a busy machine what has to pass it by is late too.
func (s *bench) beyondRun(f *Finding) error {
	dose := times(f.Smallest, factor)
	where, err := s.fromItsBeginning(f, dose)
	if err != nil || !where {
		return err
	}
	f.Artefact = fmt.Sprintf(
		"the shortest stall that fails, %v, is longer than a run takes without one, %v; held for %v where the goroutine begins, it fails too, in %d of %d runs",
		f.Smallest, s.usualTime().Round(100*time.Microsecond), dose, placeRuns, placeRuns)
	return nil
}

// hardlyEver reports whether plain runs fail with a signature so seldom that they would
// pass as a cure. Recorded runs of the whole package count if it is the same in them.
func (s *bench) hardlyEver(sig *runner.Signature) bool {
	c := s.plainCount(sig)
	if r := s.recorded(sig); proof.Chance(c, r) >= proof.ShamDiffers {
		c = c.Plus(r)
	}
	return c.FailsRarely()
}

// againstLimit changes the dose against a limit: if that is what decides, stalls that are
// clearly shorter don't fail, all that are longer do, and it makes no difference where the
// goroutine is held. What depends on the place is no matter of the limit.
func (s *bench) againstLimit(f *Finding, l *timeLimit) error {
	below, beyond := times(l.D, belowLimit), times(l.D, beyondLimit)
	short, err := s.count(s.ctx, dosed(f.Trial, below), &f.Sig, limitRuns)
	if err != nil || short.Of == 0 || short.Failed > 0 {
		return err
	}
	long, err := s.count(s.ctx, dosed(f.Trial, beyond), &f.Sig, limitRuns)
	if err != nil || long.Of == 0 || long.Failed < long.Of {
		return err
	}
	where, err := s.fromItsBeginning(f, beyond)
	if err != nil || !where {
		return err
	}
	f.Limit = l.String()
	f.Artefact = fmt.Sprintf(
		"the shortest stall that fails, %v, is about the limit of %s: held for %v, %d of %d runs failed, for %v %d of %d; held where the goroutine begins, it fails too",
		f.Smallest, f.Limit, below, short.Failed, short.Of, beyond, long.Failed, long.Of)
	return nil
}

// fromItsBeginning reports whether it fails too if the goroutine is held where it begins.
func (s *bench) fromItsBeginning(f *Finding, dose time.Duration) (bool, error) {
	if len(f.sites) != 1 {
		return false, nil
	}
	own := f.sites[0]
	for _, site := range s.p.Sites() {
		if site.Class != own.Class || site.Test != own.Test {
			continue
		}
		t := do(site.stall(dose))
		is, acts, err := s.always(s.ctx, t, &f.Sig, true, placeRuns)
		return is && acts, err
	}
	return false, nil
}

// sleptAt returns the duration that is slept for at a site, with its place; "" for none.
func (s *bench) sleptAt(site *Site) string {
	if site == nil {
		return ""
	}
	span, ok := s.Sites.Pos(site.Block)
	for _, l := range s.limits() {
		if ok && l.Slept && l.File == span.File && span.Start <= l.Line && l.Line <= span.End {
			return l.String()
		}
	}
	return ""
}
