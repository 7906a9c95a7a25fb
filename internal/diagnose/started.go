package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// What only this rule says.
const startedWhy say.Label = "in a process that the test starts"

// A started is a reason about a place in a process that the test starts. It is no hint for experiments:
// nothing but holds reaches that process, and these are tried at all of its positions anyway.
type started struct{ finding.Reason }

func (r started) Why(finding.Coder) say.Sentence { return startedWhy.With() }

// Claim has where the process differs from others named like any place: how the test itself fails
// does not show it.
func (r started) Claim() finding.Claim {
	c := r.Reason.Claim()
	c.Try, c.Differs = finding.TryNothing, false
	return c
}

func (r started) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	w := r.Reason.Words(s, c)
	w.Mark = startedWhy.With()
	return w
}

// WithStarted ranks the places of a failure with the best one in a process that the test starts, if
// that goes with the outcome beyond chance. Where they are as good, the test only sees what the
// process has done.
func WithStarted(own, in []finding.Suspect) []finding.Suspect {
	i := slices.IndexFunc(in, func(s finding.Suspect) bool { return s.Tells() && !s.Surfaces() })
	if i < 0 {
		return own
	}
	s := in[i]
	s.Reason = started{s.Reason}
	return rank(append([]finding.Suspect{s}, own...))
}
