package divergence

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A lane is one goroutine in all runs.
type lane struct {
	class      int
	background bool               // it belongs to the process or to a parent test, not to the test itself
	streams    []*trace.Goroutine // by run; nil if the run does not have it
}

// in returns the runs of set whose traces have the goroutine, and its streams there.
func (l *lane) in(set runSet) (streams []*trace.Goroutine, runs []int) {
	for i, g := range l.streams {
		if g != nil && set.has(i) {
			streams, runs = append(streams, g), append(runs, i)
		}
	}
	return streams, runs
}

// A laneKey identifies a goroutine in all runs. The identity alone would do, except that -count
// runs a test again in the same process, and that rare identities are not unique.
type laneKey struct {
	id   trace.GoroutineID
	test string
	nth  int
	dup  int
}

// A classKey determines the class of a goroutine: its test, or the class of its parent and the go statement.
type classKey struct {
	parent int // 0: none
	test   string
	spawn  trace.Frame
	root   bool
}

// A class is a set of goroutines that play the same part, for example for 100 requests.
type class struct {
	frames []trace.Frame // go statements, outermost first
}

// A matcher sorts goroutines into lanes and classes.
type matcher struct {
	test    string
	nRuns   int
	lanes   []*lane
	byKey   map[laneKey]*lane
	classes []class
	byClass map[classKey]int
}

func newMatcher(test string, nRuns int) *matcher {
	return &matcher{
		test: test, nRuns: nRuns, byKey: map[laneKey]*lane{},
		classes: make([]class, 1), byClass: map[classKey]int{},
	}
}

// own reports whether a goroutine of test belongs to the test under analysis.
func (m *matcher) own(test string) bool {
	return test == m.test || strings.HasPrefix(test, m.test+"/")
}

// above reports whether test is the process or a test that contains the test under analysis as a subtest.
func (m *matcher) above(test string) bool {
	return test == "" || strings.HasPrefix(m.test, test+"/")
}

// add adds a run's goroutines.
func (m *matcher) add(run int, t *trace.Trace) {
	byID := map[trace.GoroutineID]*trace.Goroutine{}
	for _, g := range t.Goroutines {
		if _, ok := byID[g.ID]; !ok {
			byID[g.ID] = g
		}
	}
	dups := map[laneKey]int{}
	memo := map[*trace.Goroutine]int{}
	for _, g := range t.Goroutines {
		if !m.own(g.Test) && !m.above(g.Test) || len(g.Chunks) == 0 {
			continue
		}
		k := laneKey{id: g.ID, test: g.Test, nth: g.Nth}
		dups[k]++
		k.dup = dups[k]
		l := m.byKey[k]
		if l == nil {
			l = &lane{
				class: m.class(g, byID, memo, 0), background: !m.own(g.Test),
				streams: make([]*trace.Goroutine, m.nRuns),
			}
			m.byKey[k] = l
			m.lanes = append(m.lanes, l)
		}
		l.streams[run] = g
	}
}

// class returns the class of g.
func (m *matcher) class(g *trace.Goroutine, byID map[trace.GoroutineID]*trace.Goroutine,
	memo map[*trace.Goroutine]int, depth int) int {
	if c, ok := memo[g]; ok {
		return c
	}
	k := classKey{test: g.Test, root: g.Root}
	if !g.Root {
		k.spawn = g.Spawn
		// A damaged trace may have a cycle here.
		if p := byID[g.Parent]; p != nil && g.Parent != 0 && p != g && depth < 64 {
			k.parent = m.class(p, byID, memo, depth+1)
		}
	}
	c, ok := m.byClass[k]
	if !ok {
		c = len(m.classes)
		m.byClass[k] = c
		frames := m.classes[k.parent].frames
		if !g.Root && g.Spawn != (trace.Frame{}) {
			frames = append(slices.Clip(frames), g.Spawn)
		}
		m.classes = append(m.classes, class{frames})
	}
	memo[g] = c
	return c
}

// order sorts the lanes for a stable result: the test's own goroutines in the order in which they
// first ran, then those in the background.
func (m *matcher) order() []*lane {
	slices.SortStableFunc(m.lanes, func(a, b *lane) int {
		if a.background != b.background {
			if a.background {
				return 1
			}
			return -1
		}
		return 0
	})
	return m.lanes
}
