package inject

// How far a place may be from the edit, and how long it may be.
const (
	maxApart  = 2  // lines
	maxPoint  = 3  // lines of a place that is on the edit if it is near
	maxWindow = 10 // lines of a place that is on the edit if it contains it
)

// on reports whether a place says where the edit is.
func (m *Mutant) on(p Place) bool {
	if p.File != m.File {
		return false
	}
	for _, e := range m.Lines {
		d := p.apart(e)
		if d == 0 && p.lines() <= maxWindow || d <= maxApart && p.lines() <= maxPoint {
			return true
		}
	}
	return false
}

// inFunc reports whether a place is in the function that was edited.
func (m *Mutant) inFunc(p Place) bool {
	return p.File == m.File && m.Span.Start > 0 && p.apart(m.Span) == 0
}

// A grade is the grade of a measure.
type grade struct {
	mutant *Mutant
	trial  *trial
	got    *measure
	// Of the first suspect, and of any.
	First, Any         bool
	FirstFunc, AnyFunc bool
	// Of what recorded runs show by themselves.
	FactFirst, FactAny bool
	// Of the three other places.
	Ochiai, Check, Last             bool
	OchiaiFunc, CheckFunc, LastFunc bool
}

// judge grades a measure. A test that did not fail, or always failed, named nothing.
func judge(t *trial, r *measure) grade {
	m := &t.Mutant
	g := grade{mutant: m, trial: t, got: r}
	if !r.counts() {
		return g
	}
	for i, p := range r.Suspects {
		on, in := m.on(p), m.on(p) || m.inFunc(p)
		if i == 0 {
			g.First, g.FirstFunc = on, in
		}
		g.Any, g.AnyFunc = g.Any || on, g.AnyFunc || in
	}
	for i, p := range r.Facts {
		on := m.on(p)
		g.FactFirst, g.FactAny = g.FactFirst || on && i == 0, g.FactAny || on
	}
	one := func(p *Place) (on, in bool) {
		return p != nil && m.on(*p), p != nil && (m.on(*p) || m.inFunc(*p))
	}
	g.Ochiai, g.OchiaiFunc = one(r.Ochiai)
	g.Check, g.CheckFunc = one(r.Check)
	g.Last, g.LastFunc = one(r.Last)
	return g
}

// counts reports whether there was something to compare.
func (r *measure) counts() bool { return r.Err == "" && r.Flaky }

// word describes the grade.
func (g *grade) word() string {
	switch {
	case g.got.Err != "":
		return "fdebug failed"
	case g.got.Failed == 0 && g.trial.Verdict == neverFails:
		return "nothing was provoked"
	case g.got.Failed == 0:
		return "did not fail in the recorded runs"
	case !g.got.Flaky:
		return "failed in all recorded runs"
	case g.First:
		return "on"
	case g.Any:
		return "on, not first"
	case g.FirstFunc:
		return "same function"
	case g.AnyFunc:
		return "same function, not first"
	case len(g.got.Suspects) == 0:
		return "no suspects"
	}
	return "no"
}
