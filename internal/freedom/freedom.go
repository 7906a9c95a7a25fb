package freedom

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A Freedom is something that two runs of a correct program may do differently.
type Freedom struct {
	Name   string // "stall"
	Varies string // what varies, in one sentence
	Legal  string // the sentence that makes it legal
	Source string // the source of that sentence
	Sites  string // where it can be set: "positions", "blocks that draw"; "" if it can only be observed
	Dose   string // the quantity that can vary; "" for none
	// Category is that of flakes whose outcome it decides, "" if it decides none by itself.
	Category string
	Where    Where
	Asked    bool // programs ask for it, and a survey lists where
	// Prior is the probability that one of its acts decides, where nothing is known: see [Guess].
	Prior float64
	// Propose are its guesses, each with a share of the runs.
	Propose []*Proposer
	// observe returns observations of runs; nil if no run records it. What of an observation is a *Seen.
	observe func(r *Runs) []fact.Observation
	// set returns ways in which the next run fails, and passes, by a fact; nil if that is left to the search.
	set func(f *fact.Fact) (fails, passes [][]Step)
	// Tries returns the acts that are tried at a block that asks for it; nil if there are none. An act gives the same
	// answer in each run, whatever the system says.
	Tries   func(block uint32, b Bench) []Step
	aspects []aspect
	Choice  say.Choice // where a choice of it decides; zero if it makes none
	Verbs
}

// Where says where a freedom is set.
type Where uint8

const (
	Nowhere    Where = iota // it can only be observed
	ByTests                 // by which tests run
	ByDraws                 // where the runtime draws
	ByPairs                 // at positions of two goroutines
	ByPosition              // at a position of a goroutine
	ByAnswers               // in the system around the program
	ByBuild                 // in the whole program
)

var (
	all    []*Freedom // set by init: the freedoms refer to the list
	byKind [256]*Freedom
)

func init() {
	all = []*Freedom{
		&testsFreedom, &selectFreedom, &mapFreedom, &randFreedom, &clockFreedom, &timerFreedom, &readFreedom,
		&dirFreedom, &gcFreedom, &limitsFreedom, &orderFreedom, &stallFreedom, &raceFreedom,
	}
	for kind := range byKind {
		byKind[kind] = Of(trace.ActKind(kind).String())
	}
}

// Gone reports whether a name is that of a kind of perturbation that earlier versions had: random stalls, and
// priorities on one processor.
func Gone(name string) bool { return name == "yield" || name == "sched" }

// Set returns ways in which the next run fails, and passes, by a fact; nil where that is left to the search.
func Set(f *fact.Fact) (fails, passes [][]Step) {
	if set := Of(f.Kind).set; set != nil {
		return set(f)
	}
	return nil, nil
}

// Settable returns those that can be set.
func Settable() []*Freedom {
	return slices.DeleteFunc(slices.Clone(all), func(f *Freedom) bool { return f.Sites == "" })
}

// Of returns the freedom with a name, the zero Freedom if there is none.
func Of(name string) *Freedom {
	if i := slices.IndexFunc(all, func(f *Freedom) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return &Freedom{}
}

// Act returns the kind of its acts, 0 if they are no part of a plan.
func (f *Freedom) Act() trace.ActKind {
	if f.Sites == "" {
		return 0
	}
	return trace.KindOf(f.Name)
}

const (
	spec          = "https://go.dev/ref/spec#"
	goIndependent = `"A 'go' statement starts the execution of a function call as an independent concurrent thread of control": nothing says when it makes progress.`
)

// A Seen says what an observation is of.
type Seen struct {
	Measure Measure
	// At are the places, the one that a maintainer would look at first before others.
	At    []Place
	Unit  time.Duration // of a phase
	From  time.Time     // about when it was observed
	Shift int64         // of a reading: how long after the start of the test, nanoseconds
	// Moved is the place of At, of an order, that came late or early for the other one.
	Moved int
}

// A Measure says what of a freedom was observed.
type Measure string

const (
	Phase    Measure = "phase"    // of the start of the test, or of a reading if there is a place
	Sequence Measure = "sequence" // which of two events came first
	Begins   Measure = "begins"   // time from the go statement
	Waits    Measure = "waits"    // time that a wait took
	Works    Measure = "works"    // time between two waits
)

// A Place is an event of a goroutine, or lines alone.
type Place struct {
	trace.Span
	Site // its block is 0 for lines alone
}

// Runs are the runs of one test: those that passed, and those that failed in one way.
type Runs struct {
	Test   string
	Sites  *trace.Sites
	Source *source.Index // nil if it is not known
	List   []*Run        // in the order in which they were made

	ids      []trace.GoroutineID // of the goroutines that are looked at
	readings []reading           // of the clock
}

// A Run is one of them.
type Run struct {
	Failed  bool
	Started time.Time
	Trace   *trace.Trace

	start   int64 // of the test
	cut     int64 // when it failed: what comes later is a consequence
	root    *stream
	streams map[trace.GoroutineID]*stream
}

// Rank returns the facts of all freedoms, the best first.
func Rank(r *Runs) ([]fact.Fact, error) {
	list, err := Observe(r)
	if err != nil {
		return nil, err
	}
	return fact.Rank(r.Failed(), list), nil
}

// Observe returns the observations for Rank.
func Observe(r *Runs) (list []fact.Observation, err error) {
	if err := r.load(); err != nil {
		return nil, err
	}
	for i, f := range all {
		if f.observe == nil {
			continue
		}
		for _, o := range f.observe(r) {
			o.Rank = i
			list = append(list, o)
		}
	}
	return list, nil
}

// Forget gives back the memory that the traces take: facts do not need them.
func (r *Runs) Forget() {
	for _, x := range r.List {
		x.Trace, x.root, x.streams = nil, nil, nil
	}
}

// Failed returns the outcomes.
func (r *Runs) Failed() (list []bool) {
	for _, x := range r.List {
		list = append(list, x.Failed)
	}
	return list
}
