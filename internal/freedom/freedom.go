package freedom

import (
	"time"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A Freedom is something that two runs of a correct program may do differently.
type Freedom interface {
	Name() string  // "clock"
	Legal() string // the sentence that makes it legal
	// Observe returns what runs did. What of an observation is a *Seen.
	Observe(r *Runs) []fact.Observation
	// Set returns ways in which the next run fails, and passes, by a fact; nil where it can only be
	// observed, or is set otherwise.
	Set(f *fact.Fact) (fails, passes [][]perturb.Act)
}

// All returns all freedoms, first those that nothing in a run can have a say in.
func All() []Freedom {
	return []Freedom{tests{}, choices{}, clock{}, cryptoRand{}, read{}, dir{}, limits{}, gc{}, order{}, stall{}}
}

// A Seen says what an observation is of.
type Seen struct {
	Freedom Freedom
	Aspect  Aspect
	// At are the places, the one that a maintainer would look at first before others.
	At    []Place
	Unit  time.Duration // of a phase
	From  time.Time     // about when it was observed
	Test  string        // that ran before
	Kind  trace.ActKind // of a choice
	Shift int64         // of a reading: how long after the start of the test, nanoseconds
	Gap   int64         // between two readings
	// Moved is the place of At, of an order, that came late or early for the other one.
	Moved int
}

// An Aspect says what of a freedom was observed.
type Aspect string

const (
	Before      Aspect = "before"       // the test ran before
	RightBefore Aspect = "right before" // and no other one in between
	HowMany     Aspect = "how many"     // tests ran before
	Phase       Aspect = "phase"        // of the start of the test, or of a reading if there is a place
	Tick        Aspect = "tick"         // a multiple of the unit lies between two readings
	Elapsed     Aspect = "elapsed"      // between two readings
	Draw        Aspect = "draw"         // one random number
	Extreme     Aspect = "extreme"      // the greatest or least of several
	Twice       Aspect = "twice"        // two of several are equal
	CaseFirst   Aspect = "case first"   // of a select one case is looked at before another one
	Sequence    Aspect = "sequence"     // which of two events came first
	Begins      Aspect = "begins"       // time from the go statement
	Waits       Aspect = "waits"        // time that a wait took
	Works       Aspect = "works"        // time between two waits
	Size        Aspect = "size"         // bytes that a read returned
	First       Aspect = "first"        // which entry of a directory came first
	Listed      Aspect = "listed"       // which of two entries came before the other one
	Refused     Aspect = "refused"      // a socket got no port
	Port        Aspect = "port"         // that a socket got
	Recent      Aspect = "recent"       // how few events ago a collection began
)

// A Place is an event of a goroutine, or lines alone.
type Place struct {
	trace.Span
	Block int // 0 for lines alone
	Hit   int // its visit of the block, from 1
	G     trace.GoroutineID
	Class uint64
	Test  string
	// Failing and Passing are the events that come after it in runs of the two outcomes.
	Failing, Passing Visit
}

// A Visit is a block and how many times the goroutine had come there, from 1.
type Visit struct {
	Block uint32 // as an event; 0 for the end of the goroutine
	Hit   int
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
	Seed    uint64   // that its choices follow, 0 if they were free
	Before  []string // top-level tests that ran before, in order
	Trace   *trace.Trace

	start   int64 // of the test
	cut     int64 // when it failed: what comes later is a consequence
	common  int64 // when it had come as far as all runs come
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

// Observe returns what Rank ranks.
func Observe(r *Runs) ([]fact.Observation, error) {
	if err := r.load(); err != nil {
		return nil, err
	}
	return r.observe(), nil
}

// Forget gives back the memory that the traces take: facts do not need them.
func (r *Runs) Forget() {
	for _, x := range r.List {
		x.Trace, x.root, x.streams = nil, nil, nil
	}
}

// Begun returns when the test began, by the wall clock; zero if that was not recorded.
func (x *Run) Begun() time.Time {
	if x.Trace == nil {
		return time.Time{}
	}
	return x.Started.Add(time.Duration(x.start))
}

// Failed returns the outcomes.
func (r *Runs) Failed() (list []bool) {
	for _, x := range r.List {
		list = append(list, x.Failed)
	}
	return list
}

func (r *Runs) observe() (list []fact.Observation) {
	for i, f := range All() {
		for _, o := range f.Observe(r) {
			o.Rank = i
			list = append(list, o)
		}
	}
	return list
}

// legal returns the sentence of the catalogue that makes a kind of perturbation legal.
func legal(name string) string { return perturb.KindOf(name).Legal }
