package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A course is the way of a goroutine through a run.
type course struct {
	blocks []int           // that it came to, 0 for events that are none
	g      trace.Goroutine // without its content
}

// A courseKey has the trace and the goroutine of a course.
type courseKey struct {
	trace string // "" for that of the plain run in which the goroutine comes to most
	id    trace.GoroutineID
}

// courses reads the courses of goroutines from traces of plain runs. Each trace is opened once, for all its goroutines.
type courses struct {
	open    func(name string) (*trace.Trace, error)
	sites   *trace.Sites
	traces  map[string]*trace.Trace
	has     map[courseKey]*trace.Goroutine // in the traces that were opened
	longest map[trace.GoroutineID]string   // the trace in which each comes to most; nil before that is asked
	read    map[courseKey]course
}

func newCourses(sites *trace.Sites, open func(string) (*trace.Trace, error)) *courses {
	return &courses{open: open, sites: sites, traces: make(map[string]*trace.Trace),
		has: make(map[courseKey]*trace.Goroutine), read: make(map[courseKey]course)}
}

func (c *courses) close() {
	for _, t := range c.traces {
		t.Close()
	}
}

// in returns a trace, which close closes.
func (c *courses) in(name string) (*trace.Trace, error) {
	if t := c.traces[name]; t != nil {
		return t, nil
	}
	t, err := c.open(name)
	if err != nil {
		return nil, err
	}
	c.traces[name] = t
	for _, g := range t.Goroutines {
		if key := (courseKey{name, g.ID}); c.has[key] == nil {
			c.has[key] = g
		}
	}
	return t, nil
}

// course returns the course of a goroutine in a trace, "" for the one of some runs in which it comes to most. It is
// empty if the goroutine is not there.
func (c *courses) course(name string, id trace.GoroutineID, runs []*Outcome) (x course, err error) {
	key := courseKey{name, id}
	if x, ok := c.read[key]; ok {
		return x, nil
	}
	if name == "" {
		if err = c.compare(runs); err != nil {
			return x, err
		}
		name = c.longest[id]
	}
	if name != "" {
		x, err = c.load(name, id)
	}
	if err == nil {
		c.read[key] = x
	}
	return x, err
}

// compare finds out in which run each goroutine comes to most.
func (c *courses) compare(runs []*Outcome) error {
	if c.longest != nil {
		return nil
	}
	longest, most := make(map[trace.GoroutineID]string), make(map[trace.GoroutineID]int64)
	for _, o := range runs {
		if o.Trace == "" {
			continue
		}
		t, err := c.in(o.Trace)
		if err != nil {
			return err
		}
		for _, g := range t.Goroutines {
			if n := g.Len(); longest[g.ID] == "" || n > most[g.ID] {
				longest[g.ID], most[g.ID] = o.Trace, n
			}
		}
	}
	c.longest = longest
	return nil
}

// load reads the course of a goroutine from a trace.
func (c *courses) load(name string, id trace.GoroutineID) (x course, err error) {
	if _, err := c.in(name); err != nil {
		return x, err
	}
	g := c.has[courseKey{name, id}]
	if g == nil {
		return x, nil
	}
	err = events(g, func(i int64, ev trace.Event) bool {
		b, ok := ev.Block()
		if !ok || !c.sites.Has(b) {
			b = 0
		}
		x.blocks = append(x.blocks, b)
		return i < maxScan
	})
	x.g = *g
	x.g.Chunks, x.g.Values, x.g.Stamps = nil, nil, slices.Clone(g.Stamps)
	return x, err
}
