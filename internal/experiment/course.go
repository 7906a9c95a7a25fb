package experiment

import (
	"github.com/fdebug/fdebug/trace"
)

// A courseKey has the trace and the goroutine of a course.
type courseKey struct {
	trace string
	id    trace.GoroutineID
}

// courses reads the courses of goroutines from traces of plain runs. Each trace is opened once, for all its goroutines.
type courses struct {
	open   func(name string) (*trace.Trace, error)
	sites  *trace.Sites
	traces map[string]*trace.Trace
	has    map[courseKey]*trace.Goroutine // in the traces that were opened
	read   map[courseKey][]int
}

func newCourses(sites *trace.Sites, open func(string) (*trace.Trace, error)) *courses {
	return &courses{open: open, sites: sites, traces: make(map[string]*trace.Trace),
		has: make(map[courseKey]*trace.Goroutine), read: make(map[courseKey][]int)}
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

// blocks returns the blocks that a goroutine comes to in a trace, 0 for events that are none.
func (c *courses) blocks(name string, id trace.GoroutineID) (list []int, err error) {
	key := courseKey{name, id}
	if list, ok := c.read[key]; ok {
		return list, nil
	}
	if _, err := c.in(name); err != nil || c.has[key] == nil {
		return nil, err
	}
	err = events(c.has[key], func(i int64, ev trace.Event) bool {
		b, ok := ev.Block()
		if !ok || !c.sites.Has(b) {
			b = 0
		}
		list = append(list, b)
		return i < maxScan
	})
	if err == nil {
		c.read[key] = list
	}
	return list, err
}
