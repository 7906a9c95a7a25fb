package freedom

import (
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
)

var testsFreedom = Freedom{
	Name:     "tests",
	Varies:   "Which tests run in the process, and in which order: alone, all, or all shuffled.",
	Legal:    `"Randomize the execution order of tests and benchmarks" is a flag of go test, as is -run.`,
	Source:   "go help testflag, -shuffle and -run",
	Sites:    "tests",
	Category: "test-order",
	Where:    ByTests,
	observe:  observeTests,
}

// observeTests tells which tests ran before.
func observeTests(r *Runs) (list []fact.Observation) {
	if !slices.ContainsFunc(r.List, func(x *Run) bool { return len(x.Before) > 0 }) {
		return nil
	}
	var names []string
	for _, x := range r.List {
		names = append(names, x.Before...)
	}
	slices.Sort(names)
	add := func(s *Seen, shape fact.Shape, prefer float64, value func(x *Run) float64) {
		list = append(list, fact.Observation{Kind: "tests", Exogenous: true, Shape: shape,
			Prefer: []float64{prefer}, What: s,
			Values: r.each(func(_ int, x *Run) float64 { return value(x) })})
	}
	for _, name := range slices.Compact(names) {
		at := r.declared(name)
		add(&Seen{Measure: Before, Test: name, At: at}, fact.Bit, 0, func(x *Run) float64 {
			return bit(slices.Contains(x.Before, name))
		})
		add(&Seen{Measure: RightBefore, Test: name, At: at}, fact.Bit, 1, func(x *Run) float64 {
			return bit(len(x.Before) > 0 && x.Before[len(x.Before)-1] == name)
		})
	}
	add(&Seen{Measure: HowMany}, fact.Line, 2, func(x *Run) float64 { return float64(len(x.Before)) })
	return list
}

// declared returns where a test is declared.
func (r *Runs) declared(name string) (list []Place) {
	for _, f := range r.Sites.Funcs {
		if f.Name == name {
			p := Place{}
			p.File, p.Start, p.End = r.Sites.Files[f.File].Path, f.Line, f.Line
			list = append(list, p)
		}
	}
	return list
}
