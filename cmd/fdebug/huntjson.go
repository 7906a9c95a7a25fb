package main

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/runner"
)

// A caught is a catch in the output of hunt -json.
type caught struct {
	Package   string                  `json:"package"`
	Test      string                  `json:"test"`
	Signature string                  `json:"signature"`
	Message   string                  `json:"message"`
	Kind      string                  `json:"kind"`
	Verdict   string                  `json:"verdict"`
	Artefact  string                  `json:"artefact,omitempty"`
	Smallest  time.Duration           `json:"smallest_ns,omitempty"`
	Places    []string                `json:"places"`
	Window    []string                `json:"window,omitempty"`
	Confirmed experiment.Confirmation `json:"confirmed"`
	Found     int                     `json:"found_after_runs"`
	Runs      int                     `json:"runs"`
	Kept      int                     `json:"kept_runs,omitempty"` // of Runs, made by an earlier hunt, whose time Seconds has not
	Seconds   float64                 `json:"seconds"`
	Replay    string                  `json:"replay"`
	Report    string                  `json:"report,omitempty"`
}

// A loose is a failure without a verdict in that output.
type loose struct {
	Package   string `json:"package"`
	Test      string `json:"test"`
	Signature string `json:"signature"`
	Message   string `json:"message"`
	Kind      string `json:"kind"`   // of perturbation, or the steps of the search
	Failed    int    `json:"failed"` // of the runs with that
	Of        int    `json:"of"`
}

// loose returns the failures of a test without a verdict.
func (p *prey) loose() (list []loose) {
	add := func(sig runner.Signature, message, kind string, failed, of int) {
		list = append(list, loose{p.lab.Target.ImportPath, cmp.Or(sig.Test, p.name), sig.String(), message, kind, failed, of})
	}
	if f := p.open(); f != nil && f.Screened.Of > 0 {
		add(f.Signature, f.Message, f.Kind(), f.Screened.Failed, f.Screened.Of)
	} else if f != nil {
		add(f.Signature, f.Message, f.Kind(), f.Again, f.Again)
	}
	for _, x := range p.provoked() {
		var steps []string
		c := x.Made()
		for _, s := range x.Steps {
			steps = append(steps, s.Step)
		}
		add(x.Signature, x.Message, strings.Join(steps, ", "), c.Failed, c.Of)
	}
	return list
}

func (j *huntJob) printJSON(list []*catch) error {
	var out struct {
		Tests    int      `json:"tests"`
		Complete int      `json:"complete"`
		Runs     int      `json:"runs"`
		Sites    int      `json:"positions"`     // that sweeps have
		All      int      `json:"all_positions"` // that they would have, were none equivalent
		Findings []caught `json:"findings"`
		// Unconfirmed are failures that were provoked and have no verdict.
		Unconfirmed []loose `json:"unconfirmed,omitempty"`
	}
	out.Findings = []caught{}
	out.Tests, out.Complete, out.Runs = j.tally()
	for _, p := range j.preys {
		if p.res != nil {
			out.Sites += p.res.Sites
			out.All += p.res.All
		}
	}
	for _, c := range list {
		r := c.prey.exp.Proof(c.f)
		x := caught{
			Package: c.prey.lab.Target.ImportPath, Test: c.f.Signature.Test, Signature: c.f.Signature.String(), Message: c.f.Message,
			Kind: r.Kind(), Verdict: r.Verdict, Artefact: r.Artefact, Smallest: r.Smallest, Confirmed: c.f.Confirmed, Found: c.f.Found,
			Runs: c.f.Runs, Kept: c.f.Kept, Seconds: c.f.Took.Seconds(), Replay: j.inRun(c.replay),
		}
		if c.page != "" {
			x.Report = j.inRun(c.page + ".html")
		}
		x.Places, x.Window = r.Lines()
		out.Findings = append(out.Findings, x)
	}
	for _, r := range j.raced {
		out.Findings = append(out.Findings, j.caughtRace(r))
	}
	for _, p := range j.unconfirmed() {
		out.Unconfirmed = append(out.Unconfirmed, p.loose()...)
	}
	enc := json.NewEncoder(j.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
