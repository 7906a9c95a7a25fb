package finding

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
)

// A verdict1 is what verdicts had for themselves before they had a proof.
type verdict1 struct {
	Kind                           string
	Tests                          []string
	Natural, Always, FromBeginning bool
	Artefact, Limit                string
	Smallest, Lasted, Took         time.Duration
	With, Plain, Sham, Cured       Count
	Runs, Kept                     int
	Settings                       []struct {
		Kind, What  string
		Value, Unit int64
		Text        string
	}
}

// UnmarshalJSON reads what fdebug has kept of a verdict, now or before verdicts had a proof.
func (v *Verdict) UnmarshalJSON(data []byte) error {
	type plain Verdict
	if err := json.Unmarshal(data, (*plain)(v)); err != nil || v.Proof.Confirmed != (proof.Confirmation{}) {
		return err
	}
	var old verdict1
	if err := json.Unmarshal(data, &old); err != nil {
		return err
	}
	p := &v.Proof
	p.Natural, p.Always, p.FromStart, p.Artefact, p.Limit, p.Smallest = old.Natural, old.Always, old.FromBeginning, old.Artefact, old.Limit, old.Smallest
	p.Confirmed = proof.Confirmation{With: old.With, Plain: old.Plain, Sham: old.Sham, Cure: old.Cured, Held: old.Lasted}
	p.Runs, p.Kept, p.Took = old.Runs, old.Kept, old.Took
	p.Plan = proof.Named(old.Kind)
	for _, s := range old.Settings {
		p.Plan = slices.DeleteFunc(p.Plan, func(a proof.Act) bool { return a.Name() == s.Kind })
		for _, a := range proof.Named(s.Kind + " " + s.What) {
			a.Value, a.Unit, a.Text = s.Value, s.Unit, s.Text
			p.Plan = append(p.Plan, a)
		}
	}
	if old.Always {
		p.Plan, p.Opposite = nil, p.Plan
	}
	p.Before = old.Tests
	return nil
}
