package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A Replay is how to bring a failure again. It is kept as JSON, one file a failure:
//
//	{
//	  "fdebug_replay": 1,         version of the format
//	  "fdebug", "go", "platform"  what it was made with
//	  "module", "package", "test" the top-level test, which is run alone
//	  "signature"                 of the failure: test, place and masked message
//	  "logs"                      places from which passing tests print: no failed checks
//	  "build"                     flags, what was instrumented, and the hash of the
//	                              binary with probes
//	  "kind", "verdict", "artefact"
//	  "always"                    it fails with nothing perturbed; "cure" or "cured_by" makes it pass
//	  "limit"                     duration in the source that smallest_ns is about
//	  "smallest_ns"               the shortest stall that fails, 0 for draws
//	  "stalls", "orders", "yield", "sched", "pins"   what is perturbed
//	  "other_order"               the order with which it passes, if it is one of two
//	                              events that decides; "first" and "then" are these
//	  "before", "suite", "shuffle"                   which other tests run
//	  "settings", "cured_by"      what the system around the program is set to, and what
//	                              it is set to for the test to pass
//	  "collect"                   places at which garbage is collected
//	  "asked"                     places at which the program asks for what decides
//	  "draws"                     places of choices that matter, the others being as they
//	                              are, where all of a kind are pinned
//	  "needs"                     tests without which it fails
//	  "window"                    first and last place at which a stall fails
//	  "from_start"                the first place is where the goroutine begins
//	  "cure"                      stalls with which it passes, where that is known
//	  "confirmed"                 counts: with, plain, sham, cure; each with
//	                              failed, of, other, missed
//	}
//
// Times are nanoseconds; numbers of 64 bits are strings. See [Place] for places.
type Replay struct {
	Version   int             `json:"fdebug_replay"`
	Fdebug    string          `json:"fdebug"`
	Go        string          `json:"go"`
	Platform  string          `json:"platform"`
	Module    string          `json:"module"`
	Package   string          `json:"package"`
	Test      string          `json:"test"`
	Signature signatureJSON   `json:"signature"`
	Message   string          `json:"message"`
	Logs      []string        `json:"logs,omitempty"`
	Build     BuildInfo       `json:"build"`
	Kind      string          `json:"kind"`
	Verdict   string          `json:"verdict"`
	Always    bool            `json:"always,omitempty"` // it fails with nothing perturbed, and cure, or cured_by, makes it pass
	Artefact  string          `json:"artefact,omitempty"`
	Limit     string          `json:"limit,omitempty"`
	Smallest  time.Duration   `json:"smallest_ns,omitempty"`
	Stalls    []ReplayStall   `json:"stalls,omitempty"`
	Cure      []ReplayStall   `json:"cure,omitempty"`
	Early     *ReplayEarly    `json:"early,omitempty"`
	Orders    []ReplayOrder   `json:"orders,omitempty"`
	Other     []ReplayOrder   `json:"other_order,omitempty"`
	First     *Place          `json:"first,omitempty"`
	Then      *Place          `json:"then,omitempty"`
	Yield     *ReplayRandom   `json:"yield,omitempty"`
	Sched     *ReplayRandom   `json:"sched,omitempty"`
	Pins      []ReplayPin     `json:"pins,omitempty"`
	Draws     []Place         `json:"draws,omitempty"` // that matter, the others being as they are, where the pins are of all of a kind
	Settings  []ReplaySetting `json:"settings,omitempty"`
	CuredBy   []ReplaySetting `json:"cured_by,omitempty"`
	Collect   []Place         `json:"collect,omitempty"`
	Asked     []Place         `json:"asked,omitempty"`
	Before    []string        `json:"before,omitempty"`
	Needs     []string        `json:"needs,omitempty"`
	Suite     bool            `json:"suite,omitempty"`
	Shuffle   int64           `json:"shuffle,omitempty"`
	Window    []Place         `json:"window,omitempty"`
	FromStart bool            `json:"from_start,omitempty"` // the window begins with the goroutine
	Confirmed Confirmation    `json:"confirmed"`
}

type signatureJSON struct {
	Test    string `json:"test"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// A BuildInfo says how the binary was built.
type BuildInfo struct {
	Flags      []string `json:"flags,omitempty"`
	Patterns   []string `json:"patterns,omitempty"` // of the packages that were instrumented, as import paths
	Instrument []string `json:"instrument,omitempty"`
	Generated  bool     `json:"generated,omitempty"`
	Hash       string   `json:"hash"`
}

// A ReplayStall is a stall. Its dose is the shortest that suffices.
type ReplayStall struct {
	At   Place         `json:"at"`
	Dose time.Duration `json:"dose_ns"`
}

// A ReplayOrder is a goroutine that waits at a place until another has come to its own,
// at most for the limit.
type ReplayOrder struct {
	Hold  Place         `json:"hold"`
	Until Place         `json:"until"`
	Limit time.Duration `json:"limit_ns"`
}

// A ReplayPin is a pin; without places it is of all draws of its kind.
type ReplayPin struct {
	Kind string  `json:"kind"`
	Seed uint64  `json:"seed,string"`
	At   []Place `json:"at,omitempty"`
	Pass uint64  `json:"pass,string,omitempty"` // a seed with which it passes
}

// A ReplayRandom is a perturbation at random events.
type ReplayRandom struct {
	Seed    uint64        `json:"seed,string"`
	Per1024 uint32        `json:"per_1024"`
	Stalls  time.Duration `json:"stalls_ns,omitempty"`
}

// A ReplayEarly is where another goroutine must be held too for the test to pass, and how often it failed then.
type ReplayEarly struct {
	At   Place         `json:"at"`
	Dose time.Duration `json:"dose_ns"`
	Held Count         `json:"held"`
}

// Replay describes a finding of the experimenter. What the caller knows better, it
// sets: Fdebug, Go, Platform, Module, Package and Build.
func (e *Experimenter) Replay(f *Finding) *Replay {
	fd := newFinder(e.Sites, e.Source, e.profileOf)
	r := &Replay{
		Version: replayVersion, Test: f.Test, Message: f.Message, Kind: f.Kind(), Verdict: f.Verdict.String(), Artefact: f.Artefact, Limit: f.Limit,
		Signature: signatureJSON{f.Signature.Test, f.Signature.Frame.File, f.Signature.Frame.Line, f.Signature.Message},
		Smallest:  f.Smallest, Before: f.Trial.Before, Needs: f.Needs, Suite: f.Trial.Suite, Shuffle: f.Trial.Shuffle, Confirmed: f.Confirmed,
		Always: f.Always,
	}
	if rel, ok := e.Sites.Rel(f.Signature.Frame.File); ok {
		r.Signature.File = rel
	}
	r.addStalls(f, fd)
	r.addOrders(f, fd)
	r.addRandom(&f.Trial.Plan)
	r.addPins(f, fd)
	r.addSettings(f, fd)
	if w := f.Window; w != nil {
		r.Window, r.FromStart = []Place{fd.place(w.First), fd.place(w.Last)}, w.FromBeginning
	}
	return r
}

// addStalls adds where f holds goroutines, and where holding one is a cure.
func (r *Replay) addStalls(f *Finding, fd *finder) {
	for i, s := range f.Trial.Plan.Of(perturb.Act.Holds) {
		at := fd.place(f.Sites[i])
		if at.Goroutine != nil {
			at.Goroutine.First = s.First
		}
		dose := f.Smallest
		if dose == 0 {
			dose = s.Dose
		}
		r.Stalls = append(r.Stalls, ReplayStall{At: at, Dose: dose})
	}
	if f.Cure != nil && f.CureSite != nil {
		r.Cure = append(r.Cure, ReplayStall{At: fd.place(*f.CureSite), Dose: f.Cure.dose()})
	}
	if e := f.Early; e != nil {
		r.Early = &ReplayEarly{At: fd.place(e.Site), Dose: f.both(&e.Site).Plan.Of(perturb.Act.Holds)[1].Dose, Held: e.Held}
	}
}

// addOrders adds the order of two events with which it fails, and the other one.
func (r *Replay) addOrders(f *Finding, fd *finder) {
	o := f.Ordered
	if o == nil {
		return
	}
	r.Orders, r.First, r.Then = o.replay(fd, &f.Trial), ptr(fd.place(o.First)), ptr(fd.place(o.Then))
	if f.Cure != nil {
		r.Other = o.replay(fd, f.Cure)
	}
}

// addRandom adds what is done at random events.
func (r *Replay) addRandom(p *perturb.Plan) {
	for _, a := range p.Of(perturb.Act.AtRandom) {
		if x := (&ReplayRandom{a.Seed, a.Per1024, a.Dose}); yields(a) {
			r.Yield = x
		} else {
			r.Sched = x
		}
	}
}

// addPins adds the draws that are pinned.
func (r *Replay) addPins(f *Finding, fd *finder) {
	for _, p := range f.Trial.Plan.Of(perturb.Act.Chooses) {
		pin := ReplayPin{Kind: p.Kind.String(), Seed: p.Seed}
		if !p.Everywhere() {
			pin.At, pin.Pass = []Place{fd.place(Site{Block: int(p.At.Block)})}, f.passing
		}
		r.Pins = append(r.Pins, pin)
	}
	named := slices.ContainsFunc(r.Pins, func(p ReplayPin) bool { return len(p.At) > 0 })
	for _, b := range f.blocks {
		if len(r.Pins) > 0 && !named {
			r.Draws = append(r.Draws, fd.place(Site{Block: b}))
		}
	}
}

// Reworded returns r as it is for code in which a part of a statement, was, stands no
// more, but now in its place: its places are there.
func (r *Replay) Reworded(was, now string) *Replay {
	data, err := json.Marshal(r)
	next := &Replay{}
	if was == "" || err != nil || json.Unmarshal(data, next) != nil {
		return r
	}
	for _, p := range next.places() {
		p.Text = strings.ReplaceAll(p.Text, words(was), words(now))
		if p.Goroutine == nil {
			continue
		}
		for i, s := range p.Goroutine.Chain {
			p.Goroutine.Chain[i].Text = strings.ReplaceAll(s.Text, words(was), words(now))
		}
	}
	return next
}

// places returns all places at which r acts.
func (r *Replay) places() (list []*Place) {
	for i := range r.Stalls {
		list = append(list, &r.Stalls[i].At)
	}
	for i := range r.Orders {
		list = append(list, &r.Orders[i].Hold, &r.Orders[i].Until)
	}
	for i := range r.Settings {
		if r.Settings[i].At != nil {
			list = append(list, r.Settings[i].At)
		}
	}
	for i := range r.Pins {
		for k := range r.Pins[i].At {
			list = append(list, &r.Pins[i].At[k])
		}
	}
	for i := range r.Collect {
		list = append(list, &r.Collect[i])
	}
	return list
}

// words is a text as places have it: with one space between words.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// addSettings adds what the system around the program is set to, where the program asks
// for it, and where garbage is collected.
func (r *Replay) addSettings(f *Finding, fd *finder) {
	for i := range f.Trial.Plan.Of(perturb.Act.Collects) {
		r.Collect = append(r.Collect, fd.place(f.Sites[i]))
	}
	with := f.dosed()
	r.Settings, r.CuredBy = fd.settings(&with), fd.settings(f.Cure)
	if len(r.Settings) == 0 {
		return
	}
	for _, b := range f.blocks {
		r.Asked = append(r.Asked, fd.place(Site{Block: b}))
	}
}

// Lines returns the lines ("dir/file.go:12") at which a replay acts, and the ends of its
// window: from the statement that starts the goroutine, if that is where the window begins.
func (r *Replay) Lines() (places, window []string) {
	line := func(p Place) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }
	places = []string{}
	for _, s := range r.Stalls {
		places = append(places, line(s.At))
	}
	if r.First != nil && r.Then != nil {
		places = append(places, line(*r.First), line(*r.Then))
	}
	for _, p := range r.Pins {
		for _, at := range p.At {
			places = append(places, line(at))
		}
	}
	for _, at := range slices.Concat(r.Collect, r.Asked) {
		places = append(places, line(at))
	}
	for i, p := range r.Window {
		if start := p.Goroutine.Started(); i == 0 && r.FromStart && start.File != "" {
			window = append(window, fmt.Sprintf("%s:%d", start.File, start.Line))
		}
		window = append(window, line(p))
	}
	return places, window
}

// held reports whether a place is one where a goroutine can be held, or waited for.
func (p Place) held() bool {
	return p.Goroutine != nil && p.Goroutine.ID == 0 != (p.Goroutine.Class == 0) && (p.Block > 0 || p.End || p.Check) && p.Hit >= 0 && p.Event >= 0 && p.Nth >= 0
}

func kindOf(name string) trace.ActKind {
	for _, k := range drawKinds {
		if k.String() == name {
			return k
		}
	}
	return 0
}

// Sig returns the failure that is to come again.
func (r *Replay) Sig(root string) runner.Signature {
	s := runner.Signature{Test: r.Signature.Test, Message: r.Signature.Message}
	s.Frame = trace.Frame{File: r.Signature.File, Line: r.Signature.Line}
	return s
}

// exact returns the trial in a build of the same hash, with stalls n times as long as
// sufficed.
func (r *Replay) exact(n float64) Trial {
	return r.trial(n, func(p Place) (Site, error) {
		s := Site{Block: p.Block, Event: p.Event, Hit: p.Hit}
		if g := p.Goroutine; g != nil {
			s.G = perturb.Goroutine{ID: trace.GoroutineID(g.ID), Class: g.Class}
		}
		return s, nil
	}).t
}

// A found is a trial with places found again.
type found struct {
	t   Trial
	err error
}

// trial makes the trial of r, with places as find has them. A place that was found
// again in other code is told by how often the goroutine came there before.
func (r *Replay) trial(n float64, find func(Place) (Site, error)) found {
	x := found{t: Trial{Before: r.Before, Suite: r.Suite, Shuffle: r.Shuffle}}
	at := func(p Place) perturb.Position {
		s, err := find(p)
		if err != nil {
			x.err = errors.Join(x.err, err)
		}
		pos := s.position()
		if s.Event == 0 {
			pos.Hit = uint32(s.Hit)
		}
		return pos
	}
	add := func(a perturb.Act) { x.t.Plan.Acts = append(x.t.Plan.Acts, a) }
	for _, s := range r.Stalls {
		add(perturb.Stall(at(s.At), times(s.Dose, n), s.At.Goroutine.First))
	}
	for _, o := range r.Orders {
		add(perturb.Order(at(o.Hold), at(o.Until), o.Limit))
	}
	if y := r.Yield; y != nil {
		add(perturb.Yield(y.Seed, y.Per1024, y.Stalls))
	}
	if s := r.Sched; s != nil {
		add(perturb.Sched(s.Seed, s.Per1024))
	}
	for _, place := range r.Collect {
		add(perturb.Collect(at(place)))
	}
	for _, set := range r.Settings {
		add(set.setting(func(p Place) uint32 { return at(p).Block }))
	}
	if r.Smallest > 0 && len(r.Stalls) == 0 {
		x.t = dosed(x.t, times(r.Smallest, n))
	}
	for _, p := range r.Pins {
		if len(p.At) == 0 {
			add(perturb.Pin(kindOf(p.Kind), p.Seed, 0))
		}
		for _, place := range p.At {
			add(perturb.Pin(kindOf(p.Kind), p.Seed, at(place).Block))
		}
	}
	return x
}

// inOtherCode returns the trial in other code, whose plain runs are profiled first. The
// error is a [GoneError] if a place is not there any more.
func (e *Experimenter) inOtherCode(r *Replay, p *profile, n float64) (Trial, error) {
	x := r.trial(n, newFinder(e.Sites, e.Source, p).find)
	return x.t, x.err
}
