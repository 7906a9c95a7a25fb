// Package verdicttest makes verdicts for tests of what pages show of them: it makes the proof from
// which that follows.
package verdicttest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A Verdict is a verdict by what its methods return; Proof has what is done, of no place, and the runs.
type Verdict struct {
	Proof     proof.Proof
	Class     finding.Class
	Category  string
	Signature string
	Place     string

	Window        []finding.Span
	Holds, Events []finding.Hold
	Chosen        []finding.Span
	At            finding.Span
	Visits, Ends  []int
	Started       trace.Frame
	StartedBy     string
	InTest        string
	Every, OneOf  bool
	Cure          []finding.Span
	CureVisit     int
	ShamAt        finding.Span

	Replay string
}

// New returns it as a pointer.
func (v Verdict) New() *finding.Verdict {
	d := v.Make()
	return &d
}

// Make returns the verdict.
func (v Verdict) Make() finding.Verdict {
	d := finding.Verdict{Proof: v.Proof}
	p := &d.Proof
	p.Version = proof.Version
	if v.Class == finding.Proved {
		p.Verdict = proof.Proved
	} else if v.Class == finding.Reproduced {
		p.Verdict = proof.Reproduced
	}
	if v.Category != "" {
		d.Category, p.Category = v.Category, v.Category
	}
	if v.Signature != "" {
		Sign(&d, v.Signature)
	}
	if v.Place != "" {
		file, line, _ := strings.Cut(v.Place, ":")
		p.Signature.File = file
		p.Signature.Line, _ = strconv.Atoi(line)
	}
	p.Replay = v.Replay
	if p.Plan = slices.Clone(p.Plan); p.Plan == nil && v.held() {
		p.Plan = Named("stall")
	}
	v.act(&d)
	v.who(&d)
	v.rest(&d)
	return d
}

var signature = regexp.MustCompile(`^(.*?): (?:([^\s:]+\.go):(\d+): )?((?s).*)$`)

// Sign sets the failure that a verdict is about.
func Sign(d *finding.Verdict, text string) {
	m := signature.FindStringSubmatch(text)
	if m == nil {
		panic(fmt.Sprintf("%q is no signature: want TEST: [FILE:LINE: ]MESSAGE", text))
	}
	s := &d.Proof.Signature
	s.Test, s.File, s.Message = m[1], m[2], m[4]
	s.Line, _ = strconv.Atoi(m[3])
	if s.Test == "(package)" {
		s.Test = ""
	}
}

// act gives places to what is done.
func (v *Verdict) act(d *finding.Verdict) {
	if v.Holds != nil {
		SetHolds(d, v.Holds)
	} else if v.At.File != "" {
		SetAt(d, v.At)
	}
	if v.Window != nil && v.Holds == nil {
		SetWindow(d, v.Window...)
	}
	if v.Chosen != nil {
		SetChosen(d, v.Chosen...)
	}
	if v.Visits != nil {
		SetVisits(d, v.Visits...)
	}
	for i, n := range v.Ends {
		d.Proof.At[i].Hit = n
	}
	SetEvents(d, v.Events)
}

// held reports whether it says which goroutine is held.
func (v *Verdict) held() bool {
	return v.Started.File != "" || v.StartedBy != "" || v.InTest != "" || v.Every || v.OneOf
}

// who says which goroutine is held, and by which calls it comes there.
func (v *Verdict) who(d *finding.Verdict) {
	if v.held() {
		SetStarted(d, finding.Hold{Started: v.Started, StartedBy: v.StartedBy, InTest: v.InTest})
		g := held(d).Goroutine
		g.All = v.Every
		if v.OneOf {
			g.Among = 2
		}
	}
}

// rest sets what lets it pass, and what does not matter.
func (v *Verdict) rest(d *finding.Verdict) {
	if v.Cure != nil {
		SetCure(d, v.Cure...)
	}
	for _, a := range d.Proof.Opposite {
		if a.Holds() {
			a.At.Hit = v.CureVisit
		}
	}
	if v.ShamAt.File != "" {
		SetSham(d, v.ShamAt)
	}
}

// reference is a goroutine of a hold.
func reference(d *finding.Verdict, h finding.Hold) *proof.GoroutineRef {
	test := d.Proof.Signature.Test
	if h.InTest != "" && test == "" {
		d.Proof.Signature.Test = "Test"
	}
	if h.InTest != "" {
		test = h.InTest
	}
	if test == "" {
		test = "Test"
	}
	g := &proof.GoroutineRef{Chain: []proof.Start{{Test: test}}, Nth: max(0, h.Nth-1)}
	if h.Started.File != "" {
		g.Chain = append(g.Chain, proof.Start{In: h.Started.Func, File: h.Started.File, Line: h.Started.Line})
	} else if h.StartedBy != "" {
		g.Chain = append(g.Chain, proof.Start{In: h.StartedBy})
	}
	return g
}

// held is the place of the first hold of a plan.
func held(d *finding.Verdict) *proof.Place {
	a := d.Proof.Plan.First(proof.Act.Holds)
	if a == nil {
		return &proof.Place{}
	}
	if a.At == nil {
		a.At = &proof.Place{}
	}
	return a.At
}

// SetAt sets where a goroutine is held.
func SetAt(d *finding.Verdict, at finding.Span) {
	held(d).Shown = at
	held(d).Block = at.Start
}

// SetWindow sets the lines that decide, by what is done.
func SetWindow(d *finding.Verdict, list ...finding.Span) {
	p := &d.Proof
	switch {
	case p.Held():
		if len(list) == 1 {
			list = append(list, list[0])
		}
		p.At = p.At[:min(len(p.At), len(list))]
		fallthrough
	case p.Plan.Does(proof.Act.Sets):
		old := p.At
		p.At = make([]proof.Place, len(list))
		copy(p.At, old)
		for i, s := range list {
			p.At[i].Shown = s
		}
	case p.Plan.Does(proof.Act.Collects):
		place(p, proof.Act.Collects, list)
	default:
		place(p, proof.Act.Chooses, list)
	}
}

// place gives places to the acts of a kind, to the last of them all that are left.
func place(p *proof.Proof, is func(proof.Act) bool, list []finding.Span) {
	acts := p.Plan.Of(is)
	if len(acts) == 0 {
		return
	}
	p.Plan = p.Plan.Of(func(a proof.Act) bool { return !is(a) })
	for len(acts) < len(list) {
		acts = append(acts, acts[len(acts)-1])
	}
	for i, s := range list {
		acts[i].At = &proof.Place{Shown: s, Block: s.Start}
	}
	p.Plan = append(p.Plan, acts...)
}

// SetChosen sets where choices are made that a hold needs.
func SetChosen(d *finding.Verdict, list ...finding.Span) { place(&d.Proof, proof.Act.Chooses, list) }

// SetHolds sets which goroutines are held at once.
func SetHolds(d *finding.Verdict, list []finding.Hold) {
	p := &d.Proof
	p.Plan = p.Plan.Of(func(a proof.Act) bool { return !a.Holds() })
	for _, h := range list {
		p.Plan = append(p.Plan, proof.Act{Kind: trace.ActStall,
			At: &proof.Place{Shown: h.At, Block: h.At.Start, Goroutine: reference(d, h)}})
	}
}

// SetEvents sets which goroutines the two events of an order are of.
func SetEvents(d *finding.Verdict, list []finding.Hold) {
	for i, e := range list {
		d.Proof.At[i].Goroutine = reference(d, e)
	}
}

// SetVisits sets which time the goroutine comes there.
func SetVisits(d *finding.Verdict, list ...int) {
	if d.Proof.Orders() {
		for i := range d.Proof.At {
			d.Proof.At[i].Hit = list[i]
		}
	} else if len(list) > 0 {
		held(d).Hit = list[0]
	}
}

// SetStarted sets which goroutine is held.
func SetStarted(d *finding.Verdict, h finding.Hold) { held(d).Goroutine = reference(d, h) }

// SetCure sets where holding lets it pass.
func SetCure(d *finding.Verdict, list ...finding.Span) {
	d.Proof.Opposite = d.Proof.Opposite.Of(func(a proof.Act) bool { return !a.Holds() })
	for _, s := range list {
		d.Proof.Opposite = append(d.Proof.Opposite,
			proof.Act{Kind: trace.ActStall, At: &proof.Place{Shown: s, Block: 1<<20 + s.Start}})
	}
}

// SetSham sets where the same does not matter.
func SetSham(d *finding.Verdict, at finding.Span) {
	if d.Proof.Elsewhere = nil; at.File != "" {
		d.Proof.Elsewhere = proof.Acts{{Kind: trace.ActStall, At: &proof.Place{Shown: at}}}
	}
}

// Named returns acts by their names, "stall+select", of no place.
func Named(names string) (acts proof.Acts) {
	for name := range strings.SplitSeq(names, "+") {
		kind, what, _ := strings.Cut(name, " ")
		a := proof.Act{Kind: freedom.Of(kind).Act()}
		if what == freedom.Somewhere {
			a.At = &proof.Place{}
		} else if what != "" && a.What.UnmarshalText([]byte(what)) != nil {
			continue
		}
		if a.Kind != 0 {
			acts = append(acts, a)
		}
	}
	return acts
}
