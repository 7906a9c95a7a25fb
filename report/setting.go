package report

import (
	"time"

	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
)

// settingRow returns the words for a setting in the bars and in the source.
func settingRow(s say.Setting) proofRow {
	return proofRow{s.With, say.BarSetElse, s.Cure, say.BarPlain, s.Mark}
}

// settingSaid says of an act that it decides, with its value.
func settingSaid(a proof.Act, does say.Verb) say.Sentence {
	s := say.SettingOf(a.Name())
	switch s.Cause {
	case say.ClockInto:
		return phaseSaid(a, does)
	case say.ClockDate:
		return s.Cause.With(does, say.Date(time.Unix(0, a.Value)))
	case say.ClockZone:
		return s.Cause.With(does, say.Name(listing.Visible(a.Text)))
	case say.Timer:
		return s.Cause.With(does, say.Duration(a.Value))
	case say.Files, say.Busy:
		return s.Cause.With(does, say.Count(a.Value))
	case say.Quota:
		return s.Cause.With(does, say.Percent(float64(a.Value)/100))
	}
	if s.Name != "" {
		return s.Cause.With(does, s.Name)
	}
	return s.Cause.With(does)
}

// phaseSaid says when in a period of the clock the test starts: from its end where that is nearer.
func phaseSaid(a proof.Act, does say.Verb) say.Sentence {
	if left := a.Unit - a.Value; left < a.Unit/2 {
		return say.ClockBefore.With(does, say.Duration(left), say.Limit(a.Unit))
	}
	return say.ClockInto.With(does, say.Duration(a.Value), say.Limit(a.Unit))
}
