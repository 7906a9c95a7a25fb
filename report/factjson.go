package report

import "github.com/fdebug/fdebug/internal/finding"

// A DocumentFact is something that recorded runs did differently by outcome, without any experiment: how many
// runs of each outcome did so.
type DocumentFact struct {
	Freedom string          `json:"freedom"`
	Aspect  string          `json:"aspect"`
	At      []DocumentRange `json:"at,omitempty"`
	Test    string          `json:"test,omitempty"` // that ran before
	Unit    float64         `json:"unit_s,omitempty"`
	Likely  bool            `json:"likely"`
	Behind  bool            `json:"behind,omitempty"` // it adds nothing to those before it
	Table   DocumentTable   `json:"table"`            // p_value is corrected for all that was looked at
}

// documentFacts returns the facts of the most frequent failure that has any.
func documentFacts(t *finding.Test) (out []DocumentFact) {
	for _, f := range t.Failures {
		for _, x := range f.Facts {
			n := x.Table
			out = append(out, DocumentFact{
				Freedom: x.Freedom, Aspect: x.Aspect, At: x.At, Test: x.Test, Unit: x.Unit.Seconds(), Likely: x.Likely, Behind: x.Behind,
				Table: DocumentTable{n.FailTaken, n.FailTaken + n.FailNot, n.PassTaken, n.PassTaken + n.PassNot, finite(x.P)},
			})
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}
