package hunt

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/fdebug/fdebug/internal/proof"
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

	Plain  looseCount `json:"plain"`            // of the runs with nothing perturbed
	Before int        `json:"before,omitempty"` // runs that failed so before anything was perturbed
	Report string     `json:"report,omitempty"` // its page
}

type looseCount struct {
	Failed int `json:"failed"`
	Of     int `json:"of"`
}

// loose returns the failures of a test without a verdict.
func (p *Test) loose() (list []loose) {
	for _, x := range p.seen() {
		c, kinds := x.Made(), []string{}
		for _, s := range x.Kinds {
			kinds = append(kinds, s.Kind)
		}
		if f := p.open(); f != nil && x.Is(f.Sig) {
			c, kinds = f.Tried, []string{f.Kind()}
		}
		l := loose{Package: p.Lab.Target.ImportPath, Test: cmp.Or(x.Signature.Test, p.Name),
			Signature: x.Signature.String(), Message: x.Message, Kind: strings.Join(kinds, ", "), Failed: c.Failed, Of: c.Of,
			Plain: looseCount{x.Plain.Failed, x.Plain.Of}, Before: x.Before}
		if at := p.heldAt(x); at.Start > 0 {
			l.At = placeOf(at)
		}
		list = append(list, l)
	}
	return list
}

// Proofs returns the proofs of provoked failures, with the paths of their files, and the data races.
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
		// Unconfirmed are failures that were seen and have no verdict.
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
	for _, p := range j.Tests {
		for _, l := range p.loose() {
			l.Report = j.pageOf(l.Package, l.Test)
			out.Unconfirmed = append(out.Unconfirmed, l)
		}
	}
	enc := json.NewEncoder(j.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
