package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
)

// measured returns what the failed check compares with a limit, nil if it is no time that passed by the clock.
func (s *scene) measured() *source.Measure {
	st := s.failed()
	if st == nil {
		return nil
	}
	return s.Source.Measures(s.deciding(st.d)...)
}

// measuredLate returns where the time begins that the failed check measures, if a goroutine was held before that and
// after the deadline was set which it is compared with: so much less than the limit is left to be measured.
func (s *scene) measuredLate(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	m := s.measured()
	if m == nil || v.At().File == "" {
		return nil
	}
	set := s.deadlineBefore(v.At(), s.Source.Flow(maxSteps, m.Limit))
	held := s.Source.FuncAt(v.At().File, v.At().Start)
	for _, o := range m.Clock {
		if at := s.lineOf(o); set == nil || at.File != v.At().File || at.Start < v.At().Start ||
			s.Source.FuncAt(at.File, at.Start) != held || o.How != "time.Now" {
			continue
		}
		return []finding.Suspect{at(s.lineOf(o), e, reason{whyMeasuredLate, frameOf(s.lineOf(set))})}
	}
	return nil
}

// deadlineBefore returns the last call before a place that sets a deadline which is computed from something of a limit.
func (s *scene) deadlineBefore(place finding.Span, limit []*source.Op) (set *source.Op) {
	shares := func(o *source.Op) bool {
		return slices.ContainsFunc(limit, func(l *source.Op) bool { return l == o && o.Kind != source.Draw })
	}
	for _, o := range s.Source.Before(place.File, place.Start, false, source.Call) {
		if d := s.Source.Deadline(o); d != nil && slices.ContainsFunc(s.Source.Flow(maxSteps, d), shares) {
			set = o
		}
	}
	return set
}

// checkedLimit returns the constant limit of a check of how long something took, nil if there is none, or are several.
func (s *scene) checkedLimit() *source.Op {
	m := s.measured()
	if m == nil {
		return nil
	}
	list := slices.DeleteFunc(s.Source.Flow(maxSteps, m.Limit), func(o *source.Op) bool {
		return o.Kind != source.Limit || o.Value <= 0
	})
	if len(list) != 1 {
		return nil
	}
	return list[0]
}
