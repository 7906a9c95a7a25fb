package analyze

import (
	"reflect"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/trace"
)

// seenFact returns a fact of lines of f.go.
func seenFact(name string, s freedom.Seen, outside bool, lines ...int) fact.Fact {
	for i, n := range lines {
		p := freedom.Place{Site: freedom.SiteAt(trace.GoroutineID(i+1), uint32(n), 1)}
		p.File, p.Start, p.End = "f.go", n, n
		s.At = append(s.At, p)
	}
	o := &fact.Observation{Kind: name, What: &s}
	return fact.Fact{Observation: o, Outside: outside, Corrected: 0.001}
}

// TestFactHints makes hints of facts: they come before those of suspects.
func TestFactHints(t *testing.T) {
	const ms = int64(time.Millisecond)
	phase := seenFact("clock", freedom.Seen{Measure: freedom.Phase, Unit: 100 * time.Millisecond}, false, 5)
	phase.In = fact.Range{From: float64(20 * ms), To: float64(40 * ms)}
	weak := seenFact("stall", freedom.Seen{Measure: freedom.Waits}, false, 9)
	weak.Corrected = 0.5
	f := &finding.Failure{Suspects: []finding.Suspect{{Span: trace.Span{File: "f.go", Start: 1, End: 1}, Reason: verdicttest.Reason{}}}}
	an := &Analyzer{Sites: &trace.Sites{Root: "/m"}, ranked: map[*finding.Failure]*ranking{f: {facts: []fact.Fact{
		phase, weak,
		seenFact("order", freedom.Seen{Measure: freedom.Sequence, Moved: 1}, true, 7, 8), // 7 comes first in failing runs: 8 is late
	}}}}
	at := func(n int64) []freedom.Step {
		return []freedom.Step{freedom.StartAt(100*time.Millisecond, time.Duration(n*ms))}
	}
	want := []freedom.Hint{
		{Span: trace.Span{File: "f.go", Start: 5, End: 5}, P: 0.001, Fails: [][]freedom.Step{at(30), at(25), at(35)}, Passes: [][]freedom.Step{at(80)}},
		{Span: trace.Span{File: "f.go", Start: 8, End: 8}, P: 0.001},
		{Span: trace.Span{File: "f.go", Start: 7, End: 7}, P: 0.001},
		{Span: trace.Span{File: "f.go", Start: 1, End: 1}},
	}
	got := an.Hints(&finding.Result{Tests: []*finding.Test{{Package: "p", Name: "TestX", Failures: []*finding.Failure{f}}}}, "p", "TestX")
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if x := factOf(&an.ranked[f].facts[2]); !x.Late || x.At[0].Start != 8 || x.At[1].Start != 7 || !x.Likely {
		t.Errorf("%+v: want line 8 late for line 7", x)
	}
}

// TestFollow puts an order behind the test that decides, and no draw.
func TestFollow(t *testing.T) {
	r := &ranking{facts: []fact.Fact{seenFact("order", freedom.Seen{Measure: freedom.Sequence}, false), seenFact("rand", freedom.Seen{}, false)}}
	r.facts[1].Exogenous = true
	if r.follow(nil); r.facts[0].Behind {
		t.Error("no test decides")
	}
	if r.follow(&divergence.Earlier{}); !r.facts[0].Behind || r.facts[1].Behind {
		t.Errorf("got %+v", r.facts)
	}
}
