package finding

import (
	"encoding/json"
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
	if acts := proof.Named(old.Kind); old.Always {
		p.Opposite = acts
	} else {
		p.Plan = acts
	}
	p.Before = old.Tests
	return nil
}
