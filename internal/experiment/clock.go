package experiment

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

const (
	phases   = 10 // of each unit
	instants = 8  // at which the clock is set when the test starts

	coarse     = 16 * time.Millisecond
	quickUnit  = 200 * time.Millisecond
	mostUnits  = 6 // that the source has, beside the usual ones
	secondUnit = time.Second
)

// hintedClock does what screenClock does where a hint is about a function that reads the
// clock.
func (s *search) hintedClock() error {
	if !slices.ContainsFunc(s.hints(), s.nearNow) {
		return nil
	}
	if is, err := s.readsClock(); err != nil || !is {
		return err
	}
	if s.hintedAsker(trace.ActClock) {
		return s.screenClock()
	}
	return nil
}

// nearNow reports whether the file that a hint is about reads the clock at all.
func (s *search) nearNow(h Hint) bool {
	if h.File == "" || s.Source == nil {
		return false
	}
	src, err := s.Source(h.File)
	return err == nil && bytes.Contains(src, []byte("time.Now()"))
}

// screenClock tries when by the clock the test starts, as far as that takes no time.
func (s *search) screenClock() error {
	if is, err := s.readsClock(); err != nil || !is || s.clocked {
		return err
	}
	s.clocked = true
	units := []time.Duration{10 * time.Millisecond, 100 * time.Millisecond}
	if own := s.limitsUpTo(5*time.Millisecond, quickUnit); len(own) > 0 {
		units = append(own[:min(len(own), mostUnits)], units...)
	}
	for i, unit := range units {
		if slices.Contains(units[:i], unit) {
			continue
		}
		if err := s.phasesOf(unit); err != nil || s.explained() {
			return err
		}
	}
	return nil
}

// screenCalendar tries what takes longer, is told as a lie, or changes more than the clock:
// the phase of a second, how coarse the clock is, which makes all timers later and so
// brings failures that have to do with the time of goroutines alone, and other dates and
// zones.
func (s *search) screenCalendar() error {
	if is, err := s.readsClock(); err != nil || !is {
		return err
	}
	if err := s.phasesOfSecond(); err != nil || s.explained() {
		return err
	}
	if err := s.clockFamilies("resolution", s.oneClock(s.grains()), s.oneClock(s.startsAt())); err != nil || s.explained() {
		return err
	}
	return s.clockFamilies("calendar", s.oneClock(s.dates()), s.oneClock(s.zones()))
}

// phasesOfSecond tries the phases of a second, once.
func (s *search) phasesOfSecond() error {
	if s.seconds {
		return nil
	}
	s.seconds = true
	return s.phasesOf(secondUnit)
}

// notAgain is told of a failure that came under a perturbation and does not come again with it, as of a test that hardly ever
// fails. Something else must have been as it needs to be: where the clock is read that may be the phase of a second, which
// few runs happen to meet, and which is waited for too long to be tried in every test early.
func (s *search) notAgain(o *Outcome) error {
	if s.seconds || len(s.Only) > 0 || !s.tries("calendar") || !s.hardlyEver(&o.Signature) || s.hasFinding(o.Signature) {
		return nil
	}
	if is, err := s.readsClock(); err != nil || !is {
		return err
	}
	return s.phasesOfSecond()
}

// oneClock leaves out what has the clock say something else than that of the kernel, if the
// test may see both: a machine has one.
func (s *search) oneClock(list []Trial) []Trial {
	if !seesAnother(s.asks) {
		return list
	}
	return slices.DeleteFunc(list, func(t Trial) bool {
		return t.Plan.Does(perturb.Act.Differs)
	})
}

// seesAnother reports whether a run sees the clock of the kernel itself or, as it starts
// some, of other processes.
func seesAnother(asks []trace.Draw) bool {
	return slices.ContainsFunc(asks, func(d trace.Draw) bool { return d.Kind == trace.ActProcess || d.Kind == trace.ActKernel })
}

func (s *search) readsClock() (bool, error) {
	err := s.survey()
	return len(s.askers(trace.ActClock)) > 0, err
}

// phasesOf has the test start at each phase of a unit, and shortly before the unit ends,
// so that it ends within the test.
func (s *search) phasesOf(unit time.Duration) error {
	var list []Trial
	for _, a := range s.phasesIn(unit) {
		list = append(list, do(a))
	}
	return s.clockFamilies("phase of "+unit.String(), list)
}

// phasesIn returns what phasesOf tries.
func (s *search) phasesIn(unit time.Duration) (list []perturb.Act) {
	for i := range phases {
		list = append(list, perturb.Phase(unit, unit*time.Duration(i)/phases))
	}
	for _, before := range []time.Duration{time.Millisecond, 2 * time.Millisecond, s.p.Elapsed / 2} {
		if 0 < before && before < unit/phases {
			list = append(list, perturb.Phase(unit, unit-before))
		}
	}
	return list
}

func (s *search) clockFamilies(step string, families ...[]Trial) error {
	for _, list := range families {
		err := s.family(step, list, s.clockFound)
		if err != nil || s.explained() {
			return err
		}
	}
	return nil
}

// grains are clocks as coarse as those of other systems. A fine one is there already: what
// plain runs have.
func (s *search) grains() []Trial {
	return []Trial{do(perturb.Grain(time.Millisecond)), do(perturb.Grain(coarse)), do(perturb.Grain(time.Microsecond))}
}

// startsAt are instants of a coarse clock: what is made of its digits is the same in each run.
func (s *search) startsAt() []Trial {
	r := rand.New(rand.NewPCG(s.seed("instant", 0), 1))
	today := s.now()
	var list []Trial
	for range instants {
		at := today.Add(-time.Duration(r.Int64N(int64(24 * time.Hour)))).Truncate(coarse)
		list = append(list, do(perturb.Grain(coarse), perturb.Instant(at)))
	}
	return list
}

// dates are days on which calendars do what they do not do on others, at noon and around
// midnight.
func (s *search) dates() []Trial {
	now := s.now()
	y := now.Year()
	var list []Trial
	add := func(t time.Time) { list = append(list, do(perturb.Date(t))) }
	for _, d := range []time.Duration{time.Minute, time.Hour, 12 * time.Hour, 24 * time.Hour, 365 * 24 * time.Hour} {
		add(now.Add(d))
	}
	leap := y + (4-y%4)%4
	for _, day := range []time.Time{
		time.Date(y, 1, 31, 12, 0, 0, 0, time.Local), time.Date(y, 12, 31, 23, 59, 59, 0, time.Local), time.Date(leap, 2, 29, 12, 0, 0, 0, time.Local),
		time.Date(y+1, 3, 31, 12, 0, 0, 0, time.Local), time.Date(y+1, 1, 1, 0, 0, 0, 0, time.Local),
	} {
		add(day)
	}
	return list
}

// zones are local ones on either side of the world; with a change of summer time of one
// that has it.
func (s *search) zones() []Trial {
	now := s.now()
	list := []Trial{}
	for _, name := range []string{"UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Niue"} {
		list = append(list, do(perturb.Zone(name)))
	}
	for _, change := range summerTime(now, "America/New_York") {
		list = append(list, do(perturb.Zone("America/New_York"), perturb.Date(change)))
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

// clockFound completes a finding about the clock: what it is cured by, and which reading
// decides.
func (s *search) clockFound(f *Finding, passed []Trial) error {
	if err := s.cureAmong(f, farFrom(f.Trial, passed)); err != nil {
		return err
	}
	if err := s.reading(f); err != nil {
		return err
	}
	return s.conclude(f)
}

// farFrom puts those of a family first that are least like t: of phases those half a unit
// away.
func farFrom(t Trial, list []Trial) []Trial {
	own := t.Plan.Acts[0]
	if own.What != perturb.ClockPhase {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Trial) int {
		return cmp.Compare(apart(b.Plan.Acts[0], own), apart(a.Plan.Acts[0], own))
	})
	return list
}

// apart returns how far it is from one phase of a unit to another one.
func apart(a, b perturb.Act) int64 {
	d := (a.Value - b.Value + b.Unit) % b.Unit
	return min(d, b.Unit-d)
}

// depth returns how far a phase is from those that pass: a machine that is busy starts
// the test late, and in the middle of a stretch that matters least. Of all else it is 0.
func depth(t Trial, passed []Trial) int64 {
	own := t.Plan.Acts[0]
	if own.What != perturb.ClockPhase {
		return 0
	}
	d := own.Unit
	for _, x := range passed {
		d = min(d, apart(x.Plan.Acts[0], own))
	}
	return d
}

// readingRuns is how often the clock of one reading is set right to see whether it is
// the one that decides.
const readingRuns = 5

// reading names the reading of the clock that decides: the only one, or the one that needs
// no more than to say what it says in the cure.
func (s *search) reading(f *Finding) error {
	blocks := s.askers(trace.ActClock)
	if len(blocks) == 1 {
		f.blocks = []int{int(blocks[0])}
		return nil
	}
	by, ok := between(f)
	if !ok || len(blocks) > maxReadings {
		return nil
	}
	for _, b := range blocks {
		t := f.Trial.with(perturb.Shift(by, b))
		is, acts, err := s.always(s.ctx, "reading", t, &f.Sig, false, readingRuns)
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

const maxReadings = 20 // blocks that read the clock, for one to be looked for

// between returns how much later it is by the cure than by the trial.
func between(f *Finding) (time.Duration, bool) {
	if f.cure == nil {
		return 0, false
	}
	for _, a := range f.Trial.Plan.Acts {
		for _, b := range f.cure.Plan.Acts {
			switch {
			case a.What != b.What:
			case a.What == perturb.ClockPhase:
				return time.Duration((b.Value - a.Value + a.Unit) % a.Unit), true
			case a.Shifted():
				return time.Duration(b.Value - a.Value), true
			}
		}
	}
	return 0, false
}
