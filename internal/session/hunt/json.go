package hunt

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// A loose is a failure without a verdict in that output.
type loose struct {
	Package   string `json:"package"`
	Test      string `json:"test"`
	Signature string `json:"signature"`
	Message   string `json:"message"`
	Kind      string `json:"kind"`         // of perturbation
	At        string `json:"at,omitempty"` // where goroutines were held
	Failed    int    `json:"failed"`       // of the runs with that
	Of        int    `json:"of"`
}

// loose returns the failures of a test without a verdict.
func (p *Test) loose() (list []loose) {
	add := func(sig runner.Signature, message, kind string, at proof.Span, failed, of int) {
		x := loose{Package: p.Lab.Target.ImportPath, Test: cmp.Or(sig.Test, p.Name), Signature: sig.String(),
			Message: message, Kind: kind, Failed: failed, Of: of}
		if at.Start > 0 {
			x.At = placeOf(at)
		}
		list = append(list, x)
	}
	if f := p.open(); f != nil {
		add(f.Sig, f.Message, f.Kind(), p.openAt(), f.Tried.Failed, f.Tried.Of)
	}
	for _, x := range p.provoked() {
		var kinds []string
		c := x.Made()
		for _, s := range x.Kinds {
			kinds = append(kinds, s.Kind)
		}
		add(x.Signature, x.Message, strings.Join(kinds, ", "), p.heldAt(x), c.Failed, c.Of)
	}
	return list
}

// Proofs returns what was provoked as proofs, with the paths of their files, and the data races.
func (j *Hunt) Proofs(list []*Catch) []*proof.Proof {
	proofs := []*proof.Proof{}
	for _, c := range list {
		p := c.Proof()
		p.Replay = j.inRun(c.Replay)
		if c.page != "" {
			p.Report = j.inRun(c.page + ".html")
		}
		proofs = append(proofs, p)
	}
	for _, r := range j.raced {
		proofs = append(proofs, j.proofOf(r))
	}
	return proofs
}

func (j *Hunt) printJSON(list []*Catch) error {
	var out struct {
		Tests    int            `json:"tests"`
		Complete int            `json:"complete"`
		Runs     int            `json:"runs"`
		Sites    int            `json:"positions"`     // that sweeps have
		All      int            `json:"all_positions"` // that they would have, were none equivalent
		Findings []*proof.Proof `json:"findings"`
		// Unconfirmed are failures that were provoked and have no verdict.
		Unconfirmed []loose `json:"unconfirmed,omitempty"`
	}
	out.Findings = j.Proofs(list)
	out.Tests, out.Complete, out.Runs = j.Tally()
	for _, p := range j.Tests {
		if p.Result != nil {
			out.Sites += p.Result.Sites
			out.All += p.Result.All
		}
	}
	for _, p := range j.unconfirmed() {
		out.Unconfirmed = append(out.Unconfirmed, p.loose()...)
	}
	enc := json.NewEncoder(j.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
