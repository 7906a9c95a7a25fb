package main

import (
	"encoding/json"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
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
	Seconds   float64                 `json:"seconds"`
	Replay    string                  `json:"replay"`
	Report    string                  `json:"report,omitempty"`
}

func (j *huntJob) printJSON(list []*catch) error {
	var out struct {
		Tests    int      `json:"tests"`
		Complete int      `json:"complete"`
		Runs     int      `json:"runs"`
		Sites    int      `json:"positions"`     // that sweeps have
		All      int      `json:"all_positions"` // that they would have, were none equivalent
		Findings []caught `json:"findings"`
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
		r := c.prey.exp.Replay(c.f)
		x := caught{
			Package: c.prey.lab.target.ImportPath, Test: c.f.Signature.Test, Signature: c.f.Signature.String(), Message: c.f.Message,
			Kind: r.Kind, Verdict: r.Verdict, Artefact: r.Artefact, Smallest: r.Smallest, Confirmed: r.Confirmed, Found: c.f.Found,
			Runs: c.f.Runs, Seconds: c.f.Took.Seconds(), Replay: j.inRun(c.replay),
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
	enc := json.NewEncoder(j.app.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
