package diagnose

import (
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// A limited is a reason about a limit of time that a goroutine exceeds.
type limited struct {
	reason
	limit time.Duration
}

func (r limited) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	v := r.values(s, c)
	v.limit = say.Limit(r.limit)
	return r.words(v)
}

func (r limited) Claim() finding.Claim {
	c := r.reason.Claim()
	c.Allows = r.limit
	return c
}
