package runner

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// A run hangs if it goes on for hangFactor times the median of the completed runs, and twice the
// longest of them, but at least defaultPatience: many tests give up waiting after half a minute,
// and say more then than a goroutine dump does. When time is up, the choice is between a dump and
// nothing, so a twelfth of that, 5 seconds, is enough. It also is for controls, once a recorded run got stuck.
const (
	hangFactor      = 20
	searchFactor    = 3 // after so many times the median it is asked whether the run can go on
	leastSearch     = time.Second
	hangRuns        = 3 // with fewer completed runs the usual time is unknown
	defaultPatience = time.Minute
	lastGrace       = 3 * time.Second  // for the dump, when time is up
	askAgain        = 10 * time.Second // while nothing is known yet
)

// A pace is how long the runs of a package take.
type pace struct {
	patience, last time.Duration // see above
	own            bool          // whether the tests have their own limit: -timeout
	end            time.Time     // when the package's share of the time is up; or zero

	mu    sync.Mutex
	walls map[bool][]time.Duration // of completed runs, by whether they are controls; sorted
	stuck []time.Duration          // the times of runs that got stuck: no test of them gives up waiting
}

func newPace(patience time.Duration, own bool, end time.Time) *pace {
	patience = orDefault(patience, defaultPatience)
	return &pace{
		patience: patience, last: patience / 12, own: own, end: end,
		walls: make(map[bool][]time.Duration),
	}
}

// add notes a completed run.
func (p *pace) add(run *Run) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if run.Stuck {
		p.stuck = append(p.stuck, run.Wall)
	}
	if run.timedOut() {
		return
	}
	list := p.walls[run.Control]
	i, _ := slices.BinarySearch(list, run.Wall)
	p.walls[run.Control] = slices.Insert(list, i, run.Wall)
}

// usual returns the median time of other runs, with their number, and the longest. If there are few
// controls, it uses runs with probes, which are slower.
func (p *pace) usual(control bool) (Overrun, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.walls[control]
	if control && len(list) < hangRuns {
		list = p.walls[false]
	}
	if len(list) == 0 {
		return Overrun{}, 0
	}
	return Overrun{Usual: list[len(list)/2], Of: len(list)}, list[len(list)-1]
}

// left returns how long to wait until a run that began at that time hangs, 0 or less if it does.
// final says that time is up. If nothing is known yet, the caller must ask again later.
func (p *pace) left(began time.Time, control, final bool) (time.Duration, Overrun) {
	if p == nil {
		return askAgain, Overrun{}
	}
	usual, longest := p.usual(control)
	if !p.known(usual) {
		return askAgain, usual
	}
	limit := p.limit(usual, longest)
	gone := time.Since(began)
	atEnd := max(limit, p.last) - gone
	if final {
		return atEnd, usual
	}
	left := askAgain
	switch {
	case p.own:
	case control && p.gotStuck() > 0: // a recorded run that can never go on ends by itself
		left = atEnd
	default:
		left = max(limit, p.patience) - gone
	}
	if !p.end.IsZero() {
		left = min(left, max(atEnd, time.Until(p.end)))
	}
	return left, usual
}

// known reports whether enough is known of other runs to say that one hangs.
func (p *pace) known(usual Overrun) bool { return usual.Of+p.gotStuck() >= hangRuns }

func (p *pace) gotStuck() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.stuck)
}

// limit is how long a run must go on to hang. If no other one was completed, those count that got stuck.
func (p *pace) limit(usual Overrun, longest time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if usual.Of == 0 && len(p.stuck) > 0 {
		return hangFactor * slices.Max(p.stuck)
	}
	return usual.limit(longest)
}

// searched returns after what time a run is asked whether its tests can go on, though something in it does. limit is how
// long it may take.
func (p *pace) searched(control bool, limit time.Duration) time.Duration {
	if p == nil {
		return max(leastSearch, limit*searchFactor/hangFactor)
	}
	usual, longest := p.usual(control)
	if usual.Of == 0 {
		return p.last
	}
	return max(leastSearch, searchFactor*usual.Usual, longest)
}

// An Overrun says that a run was stopped because it went on for so much longer than others that
// it hangs.
type Overrun struct {
	Usual time.Duration `json:"usual_ns"` // median wall time of the others
	Of    int           `json:"of"`       // how many were completed by then
}

// limit is how long a run must go on to hang, given the longest of the others.
func (o Overrun) limit(longest time.Duration) time.Duration {
	return max(hangFactor*o.Usual, 2*longest)
}

// words says how long a run had gone on, and how long others take.
func (o Overrun) words(wall time.Duration) string {
	if o.Of == 0 {
		return fmt.Sprintf("stopped after %v", round(wall))
	}
	return fmt.Sprintf("stopped after %v, when other runs took %v (median of %d)", round(wall), round(o.Usual), o.Of)
}

// round returns a duration with two digits, or to the second.
func round(d time.Duration) time.Duration {
	if d >= time.Minute {
		return d.Round(time.Second)
	}
	unit := time.Duration(1)
	for unit*100 <= d {
		unit *= 10
	}
	return d.Round(unit)
}

// timedOut reports whether the run was stopped because of the time it took, by fdebug or by its
// own -timeout.
func (r *Run) timedOut() bool {
	return r.Exit.TimedOut || slices.ContainsFunc(r.Outcomes, func(o *Outcome) bool { return o.Status == Timeout })
}
