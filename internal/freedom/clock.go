package freedom

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var clockFreedom = Freedom{
	Name:     "clock",
	Varies:   "When the test starts: the phase within a unit of time, the date, the zone. How coarse the clock is.",
	Legal:    `A test may be started at any time and in any place, and the wall clock "is subject to changes for clock synchronization". "On Unix, the resolution is ~1ms. [...] On older Windows versions, the default resolution is ~16ms".`,
	Source:   "https://pkg.go.dev/time#hdr-Monotonic_Clocks; https://pkg.go.dev/time#hdr-Timer_Resolution",
	Sites:    "readings",
	Dose:     "phase, shift, resolution",
	Category: "time",
	Where:    ByAnswers,
	Verbs:    Verbs{Parts: setParts, Opposites: setOpposites, Elsewhere: setElsewhere, Narrow: narrowClock},
	Prior:    0.005, // 4 of the 35
	Propose:  []*Proposer{{Guesses: proposeClock}},
	observe:  observeClock,
	set:      setClock,
	Asked:    true,
	Choice: say.Choice{Why: say.WhyClock, Mark: say.MarkClock, Cause: drawsNumber.Cause,
		Fix: func(say.Chosen) []say.Sentence { return []say.Sentence{say.FixClock.With(), say.FixOnce.With()} }},
	aspects: []aspect{
		{what: ClockPhase, name: "phase",
			says: atTimes(say.ClockWhen, say.FixClock), opposites: otherPhases},
		{what: ClockShift, name: "shift"},
		{what: ClockInstant, name: "instant",
			says: atTimes(say.ClockWhen, say.FixClock), opposites: otherPhases},
		{what: ClockGrain, name: "grain",
			says: atTimes(say.Decides(say.ClockEqual), say.FixClock)},
		{what: ClockDate, name: "date",
			says: atTimes(say.ClockWhen, say.FixClock)},
		{what: ClockStill, name: "still"},
		{what: ClockZone, name: "zone",
			says: say.Setting{Cause: say.Decides(say.ClockZone, say.SetText), With: say.BarSo, Cure: say.BarOtherwise,
				Mark: say.MarkClock, Fix: []say.Template{say.FixZone}},
			opposites: func(Step, Bench) []Step { return slices.Concat(zones()...) }, env: func(a Step, _ string) []string { return []string{"TZ=" + a.Text} }},
	},
}

// atTimes is said where what the clock says decides.
func atTimes(cause say.Cause, fix ...say.Template) say.Setting {
	return say.Setting{Cause: cause, With: say.BarThen, Cure: say.BarOtherTimes, Mark: say.MarkClock, Fix: fix}
}

// Aspects of the clock.
const (
	ClockPhase   Aspect = iota + trace.ClockPhase // the test starts when the wall clock modulo Unit is Value
	ClockShift                                    // Value is added to the wall clock
	ClockInstant                                  // the wall clock is Value, nanoseconds since 1970, when the test starts
	ClockGrain                                    // both clocks show multiples of Value, and no timer fires before its time by them
	ClockZone                                     // Text is the local zone
	ClockDate                                     // the wall clock is Value, nanoseconds since 1970, when it is first read
	// both clocks stand still while a goroutine is held: a control for failures that depend on the clock
	ClockStill
)

// StartAt makes the test start at a phase of the wall clock.
func StartAt(unit, phase time.Duration) Step {
	return Step{Kind: trace.ActClock, What: ClockPhase, Value: int64(phase), Unit: int64(unit)}
}

// Shift shifts the wall clock: all of its readings, or those by one block.
func Shift(by time.Duration, block uint32) Step {
	return Step{Kind: trace.ActClock, What: ClockShift, Value: int64(by), At: Position{Block: block}}
}

// Instant sets the wall clock to t when the test starts.
func Instant(t time.Time) Step {
	return Step{Kind: trace.ActClock, What: ClockInstant, Value: t.UnixNano()}
}

// Date sets the wall clock to t when the process starts.
func Date(t time.Time) Step {
	return Step{Kind: trace.ActClock, What: ClockDate, Value: t.UnixNano()}
}

// Grain makes the clocks coarse.
func Grain(d time.Duration) Step {
	return Step{Kind: trace.ActClock, What: ClockGrain, Value: int64(d)}
}

// Still makes both clocks stand still while a goroutine is held. Timers go on.
func Still() Step { return Step{Kind: trace.ActClock, What: ClockStill} }

// Zone sets the local zone.
func Zone(name string) Step { return Step{Kind: trace.ActClock, What: ClockZone, Text: name} }

// Shifted reports whether a setting makes the wall clock wrong. Then files written before are
// older, or younger, than they seem.
func (a Act[P]) Shifted() bool {
	return a.What == ClockShift || a.What == ClockInstant || a.What == ClockDate
}

// Differs reports whether a setting makes the program's clock differ from the clock of the kernel
// and of other processes, which is one for the whole machine.
func (a Act[P]) Differs() bool { return a.Shifted() || a.What == ClockGrain || a.What == ClockStill }

const (
	maxReadings = 16 // that are looked at, by place and visit
	maxUnits    = 4  // of the source, beside the usual ones
	coarsest    = 10 * time.Second
	finest      = 5 * time.Millisecond // starts are known to about a millisecond
)

// units are the periods that code divides time into, with those of constants in the source. A
// period that the runs have not met several times can't be looked at. Where the starts of runs are drawn (package
// runner), the phase of one that divides the period of the draws is random: what fails with it does so because of
// it. That of a longer one is only observed, and what else was so meanwhile may be the cause.
func (r *Runs) units(readings []reading) (list []time.Duration) {
	list = []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second, time.Minute, time.Hour}
	for _, u := range r.constants(readings) {
		if !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	slices.Sort(list)
	return list
}

// constants returns durations that are written in the files that read the clock.
func (r *Runs) constants(readings []reading) (list []time.Duration) {
	if r.Source == nil {
		return nil
	}
	seen := make(map[string]bool)
	for _, x := range readings {
		span, _ := r.Sites.Pos(x.block)
		f := r.Source.File(span.File)
		if f == nil || seen[span.File] {
			continue
		}
		seen[span.File] = true
		funcs := slices.DeleteFunc(slices.Clone(r.Sites.Funcs), func(fn trace.Func) bool {
			return r.Sites.Files[fn.File].Path != span.File
		})
		for _, d := range source.Durations(&f.File, funcs) {
			if finest <= d.D && d.D <= coarsest && !slices.Contains(list, d.D) && len(list) < maxUnits {
				list = append(list, d.D)
			}
		}
	}
	return list
}

// A reading is a visit of a block that reads the clock.
type reading struct {
	id trace.GoroutineID
	key
	as float64 // 0 if a part of what it says is used, 1 if not: then it mostly tells how long something took
}

var partRE = regexp.MustCompile(`Truncate|Round|Unix|Format|%|Second\(|Minute|Hour|Day|Date|Month|Year|Nanosecond\(`)

// reads reports whether a block reads the clock, and how it is used.
func (r *Runs) reads(b int) (as float64, ok bool) {
	if r.Source == nil {
		return 0, false
	}
	for _, o := range r.Source.Block(b, source.Draw, source.Call) {
		name := o.How + "." + o.Name()
		switch {
		case o.Kind == source.Draw && o.Origin == "the clock" && (o.How == "time.Since" || o.How == "time.Until"):
			as, ok = 1, true
		case o.Kind == source.Draw && o.Origin == "the clock",
			o.Kind == source.Call && (strings.HasSuffix(name, ".now") || strings.HasSuffix(name, ".Now")):
			ok = true
		}
	}
	if span, is := r.Sites.Pos(b); ok && is && as == 0 {
		as = bit(!partRE.MatchString(r.text(span)))
	}
	return as, ok
}

// text returns the source lines of a span, "" if the file is unknown. The runs must have a Source.
func (r *Runs) text(span trace.Span) string {
	f := r.Source.File(span.File)
	if f == nil {
		return ""
	}
	return span.Text(f.Src)
}

// findReadings returns where most runs read the clock before they fail, the earliest first.
func (r *Runs) findReadings() (list []reading) {
	as := make(map[int]float64)
	for b := range r.Sites.Blocks {
		if x, ok := r.reads(b); ok {
			as[b] = x
		}
	}
	all := r.mostVisit(func(x *Run, s *stream, k key, i int) bool {
		_, ok := as[k.block]
		return ok && s.lo[i] <= x.cut
	})
	for _, v := range all[:min(len(all), maxReadings)] {
		list = append(list, reading{v.id, v.key, as[v.block]})
	}
	return list
}

// observeClock tells what the wall clock said when the test started, and when it read it.
func observeClock(r *Runs) (list []fact.Observation) {
	readings := r.readings
	if len(readings) == 0 {
		return nil
	}
	times := make([][]float64, len(readings)) // after the start of the test
	for i, at := range readings {
		times[i] = r.each(func(_ int, x *Run) float64 {
			if s := x.streams[at.id]; s != nil {
				if j, ok := s.visits[at.key]; ok && s.lo[j] <= x.cut {
					return float64(s.at[j] - x.start)
				}
			}
			return nan
		})
	}
	start := r.each(func(_ int, x *Run) float64 {
		if x.Trace == nil {
			return nan
		}
		return 0
	})
	main := slices.MinFunc(readings, func(a, b reading) int { return cmp.Compare(a.as, b.as) })
	for _, u := range r.units(readings) {
		list = append(list, r.phase(u, Seen{At: []Place{r.place(main.id, main.key)}}, start, 2, 0))
		for i, at := range readings {
			list = append(list, r.phase(u, Seen{At: []Place{r.place(at.id, at.key)}}, times[i], at.as, float64(i)))
		}
	}
	return list
}

// wall returns the reading of the wall clock after a time of the test.
func (x *Run) wall(after float64) int64 {
	return x.Started.UnixNano() + x.start + int64(after)
}

// phase observes how far into a unit of time the wall clock was at some times of the test.
func (r *Runs) phase(unit time.Duration, s Seen, times []float64, prefer ...float64) fact.Observation {
	s.Measure, s.Unit, s.From, s.Shift = Phase, unit, r.List[0].Started, int64(middle(times))
	o := fact.Observation{Kind: "clock", Exogenous: true, Shape: fact.Circle, Prefer: prefer, What: &s}
	o.Turns = make([]int64, len(times))
	o.Values = r.each(func(i int, x *Run) float64 {
		if times[i] != times[i] {
			return nan
		}
		t := x.wall(times[i])
		o.Turns[i] = t / int64(unit)
		return float64(t % int64(unit))
	})
	return o
}

// middle returns the median of what is known.
func middle(list []float64) float64 {
	known := slices.DeleteFunc(slices.Clone(list), func(v float64) bool { return v != v })
	if len(known) == 0 {
		return 0
	}
	slices.Sort(known)
	return known[len(known)/2]
}

// patient is the longest period whose phase is waited for, each time, unless the test may see another clock. For a longer
// one the clock is set.
const patient = 200 * time.Millisecond

// maxPhase is for how long a fact has a test wait at most.
const maxPhase = 10 * time.Second

// setClock has the test start so that what was observed is in the side that failing runs are on, in its middle
// and a quarter off, and in the middle of the other one.
func setClock(f *fact.Fact) (fails, passes [][]Step) {
	s, ok := f.What.(*Seen)
	if !ok || s.Measure != Phase {
		return nil, nil
	}
	unit := int64(s.Unit)
	width := mod(int64(f.In.To-f.In.From), unit) // of the failing side
	in := int64(f.In.From) + width/2             // its middle
	if f.Outside {
		in, width = int64(f.In.To)+(unit-width)/2, unit-width
	}
	at := func(phase int64) []Step {
		return atPhase(s.Unit, time.Duration(mod(phase-s.Shift, unit)), patient, s.From)
	}
	return [][]Step{at(in), at(in - width/4), at(in + width/4)}, [][]Step{at(in + unit/2)}
}

const (
	phases    = 10                     // of each unit
	quickUnit = 200 * time.Millisecond // the longest that the source has and that is tried
	mostUnits = 6                      // of these
	coarse    = 16 * time.Millisecond  // clock of another system
	instants  = 8                      // at which that is set when the test starts
)

// atPhase starts the test at a phase of a unit: it waits for that or, for a longer unit than some, sets the clock.
func atPhase(unit, phase, longest time.Duration, now time.Time) []Step {
	a := StartAt(unit, phase)
	if unit > longest {
		a.What, a.Value = ClockInstant, now.Truncate(unit).Add(phase).UnixNano()
	}
	return []Step{a}
}

// otherPhases are opposite ones of a unit, none of an act that has none.
func otherPhases(a Step, _ Bench) (list []Step) {
	for _, part := range []int64{2, 4, -4} {
		o := a
		if o.Value += a.Unit / part; a.What == ClockPhase {
			o.Value = mod(o.Value, a.Unit)
		}
		list = append(list, o)
	}
	return list
}

// phasesIn returns phases of a unit: shortly before it ends, so that it ends within the test, and others.
func phasesIn(unit time.Duration, b Bench) (list [][]Step) {
	elapsed, longest := b.Elapsed(), patient
	if b.SeesAnother() {
		longest = maxPhase
	}
	for _, before := range []time.Duration{max(elapsed/2, 2*time.Millisecond), 2 * time.Millisecond, time.Millisecond} {
		if 0 < before && before < unit/phases {
			list = append(list, atPhase(unit, unit-before, longest, b.Now()))
		}
	}
	for i := range phases {
		list = append(list, atPhase(unit, unit*time.Duration(i)/phases, longest, b.Now()))
	}
	return list
}

// grains are clocks as coarse as those of other systems. A fine one is there already, in plain runs. One starts at
// instants too, so that values made of its digits are the same in each run.
func grains(b Bench) (list [][]Step) {
	for _, grain := range []time.Duration{time.Millisecond, coarse, time.Microsecond} {
		list = append(list, []Step{Grain(grain)})
	}
	r := rand.New(rand.NewPCG(b.Seed("instant", 0), 1))
	for range instants {
		at := b.Now().Add(-time.Duration(r.Int64N(int64(24 * time.Hour)))).Truncate(coarse)
		list = append(list, []Step{Instant(at), Grain(coarse)})
	}
	return list
}

// dates are times of each day of the week, and days at which periods of the calendar begin or end, or that few years have.
func dates(now time.Time) (list [][]Step) {
	add := func(t time.Time) { list = append(list, []Step{Date(t)}) }
	y := now.Year()
	add(time.Date(y, 12, 31, 23, 59, 59, 0, time.Local))
	add(time.Date(y+(4-y%4)%4, 2, 29, 12, 0, 0, 0, time.Local))
	for i := range 8 {
		add(now.Add(time.Duration(i+1) * 27 * time.Hour))
	}
	add(time.Date(y+1, 3, 31, 12, 0, 0, 0, time.Local))
	add(time.Date(y+1, 1, 1, 0, 0, 0, 0, time.Local))
	return list
}

// zones are local ones on either side of the world.
func zones() (list [][]Step) {
	for _, name := range []string{"Pacific/Kiritimati", "UTC", "Pacific/Niue", "America/Los_Angeles", "Asia/Kolkata"} {
		list = append(list, []Step{Zone(name)})
	}
	return list
}

// proposeClock starts the test at phases of each unit of the clock, and sets other clocks, dates and time zones, in turn.
func proposeClock(f *Freedom, b Bench) (list []Guess) {
	if len(b.Askers(f.Act())) == 0 {
		return nil
	}
	units := b.Durations(finest, quickUnit)
	units = append(units[:min(len(units), mostUnits)], 10*time.Millisecond, 100*time.Millisecond, time.Second)
	var lists [][][]Step
	for i, unit := range units {
		if !slices.Contains(units[:i], unit) {
			lists = append(lists, phasesIn(unit, b))
		}
	}
	for _, acts := range InTurn(append(lists, dates(b.Now()), zones(), grains(b))) {
		if OneClock(acts, b) {
			list = append(list, Guess{Fails: Lift(acts...), Prior: f.Prior})
		}
	}
	return list
}

// OneClock reports whether a test can't tell settings from the truth: it may see the clock of the kernel too, and a
// machine has one.
func OneClock(acts []Step, b Bench) bool {
	return !b.SeesAnother() || !slices.ContainsFunc(acts, Step.Differs)
}

// InTurn returns the first of each list, then the second of each.
func InTurn[T any](lists [][]T) (list []T) {
	for i := 0; ; i++ {
		n := len(list)
		for _, of := range lists {
			if i < len(of) {
				list = append(list, of[i])
			}
		}
		if len(list) == n {
			return list
		}
	}
}
