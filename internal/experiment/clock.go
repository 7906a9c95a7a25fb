package experiment

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

const (
	phases    = 10                     // of each unit
	quickUnit = 200 * time.Millisecond // the longest that the source has and that is tried
	mostUnits = 6                      // of these
	coarse    = 16 * time.Millisecond  // clock of another system
	instants  = 8                      // at which that is set when the test starts
)

// phasesIn returns phases of a unit, and shortly before it ends, so that it ends within the test.
func (s *bench) phasesIn(unit time.Duration) (list [][]freedom.Act) {
	for i := range phases {
		list = append(list, []freedom.Act{freedom.StartAt(unit, unit*time.Duration(i)/phases)})
	}
	for _, before := range []time.Duration{time.Millisecond, 2 * time.Millisecond, s.p.Elapsed / 2} {
		if 0 < before && before < unit/phases {
			list = append(list, []freedom.Act{freedom.StartAt(unit, unit-before)})
		}
	}
	return list
}

// grains are clocks as coarse as those of other systems. A fine one is there already, in plain runs. One starts at
// instants too, so that values made of its digits are the same in each run.
func (s *bench) grains() (list [][]freedom.Act) {
	for _, grain := range []time.Duration{time.Millisecond, coarse, time.Microsecond} {
		list = append(list, []freedom.Act{freedom.Grain(grain)})
	}
	r := rand.New(rand.NewPCG(s.seed("instant", 0), 1))
	for range instants {
		at := s.now().Add(-time.Duration(r.Int64N(int64(24 * time.Hour)))).Truncate(coarse)
		list = append(list, []freedom.Act{freedom.Grain(coarse), freedom.Instant(at)})
	}
	return list
}

// oneClock reports whether a test can't tell settings from the truth: it may see the clock of the kernel too, and a
// machine has one.
func (s *bench) oneClock(acts []freedom.Act) bool {
	return !seesAnother(s.asks) || !slices.ContainsFunc(acts, freedom.Act.Differs)
}

// dates are special days of calendars, such as the last of a month, at noon and around
// midnight.
func (s *bench) dates() (list [][]freedom.Act) {
	now := s.now()
	y := now.Year()
	add := func(t time.Time) { list = append(list, []freedom.Act{freedom.Date(t)}) }
	for _, d := range []time.Duration{time.Minute, time.Hour, 12 * time.Hour, 24 * time.Hour, 365 * 24 * time.Hour} {
		add(now.Add(d))
	}
	leap := y + (4-y%4)%4
	for _, day := range []time.Time{
		time.Date(y, 1, 31, 12, 0, 0, 0, time.Local), time.Date(y, 12, 31, 23, 59, 59, 0, time.Local),
		time.Date(leap, 2, 29, 12, 0, 0, 0, time.Local),
		time.Date(y+1, 3, 31, 12, 0, 0, 0, time.Local), time.Date(y+1, 1, 1, 0, 0, 0, 0, time.Local),
	} {
		add(day)
	}
	return list
}

// zones are local ones on either side of the world; with a change of summer time of one
// that has it.
func (s *bench) zones() (list [][]freedom.Act) {
	now := s.now()
	for _, name := range []string{"UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Niue"} {
		list = append(list, []freedom.Act{freedom.Zone(name)})
	}
	for _, change := range summerTime(now, "America/New_York") {
		list = append(list, []freedom.Act{freedom.Zone("America/New_York"), freedom.Date(change)})
	}
	return list
}

// summerTime returns noon of the days after which a zone changes its offset, those of the
// next year.
func summerTime(now time.Time, zone string) []time.Time {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return nil // no data of zones here
	}
	var list []time.Time
	day := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, loc)
	for i := range 366 {
		a, b := day.AddDate(0, 0, i), day.AddDate(0, 0, i+1)
		_, before := a.Zone()
		if _, after := b.Zone(); before != after {
			list = append(list, a)
		}
	}
	return list
}

// readingRuns is how often the clock of one reading is set right to see whether it is
// the one that decides.
const readingRuns = 5

// reading names the reading of the clock that decides: the only one, or the one that needs
// only the time that it has in the cure.
func (s *bench) reading(f *Finding) error {
	blocks := s.askers(trace.ActClock)
	if len(blocks) == 1 {
		f.blocks = []int{int(blocks[0])}
		return nil
	}
	by, ok := laterBy(f)
	if !ok || len(blocks) > maxReadings {
		return nil
	}
	for _, b := range blocks {
		t := f.Trial.with(freedom.Shift(by, b))
		is, acts, err := s.always(s.ctx, t, &f.Sig, false, readingRuns)
		if err != nil {
			return err
		}
		if is && acts {
			f.blocks = []int{int(b)}
			return nil
		}
	}
	return nil
}

// laterBy returns how much later it is by the cure than by the trial.
func laterBy(f *Finding) (time.Duration, bool) {
	if f.cure == nil {
		return 0, false
	}
	for _, a := range f.Trial.Plan.Acts {
		for _, b := range f.cure.Plan.Acts {
			switch {
			case a.What != b.What:
			case a.What == freedom.ClockPhase:
				return time.Duration((b.Value - a.Value + a.Unit) % a.Unit), true
			case a.Shifted():
				return time.Duration(b.Value - a.Value), true
			}
		}
	}
	return 0, false
}
