package verdicttest

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// A Reason is one that no rule gives.
type Reason struct {
	Claims finding.Claim
	Label  say.Label // why the place is named
	// Say has all else that is said; may be nil.
	Say func(*finding.Suspect, finding.Coder) finding.Words
}

func (r Reason) Kind() string                   { return "test" }
func (r Reason) Claim() finding.Claim           { return r.Claims }
func (r Reason) Why(finding.Coder) say.Sentence { return r.Label.With() }

func (r Reason) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	if r.Say == nil {
		return finding.Words{}
	}
	return r.Say(s, c)
}
