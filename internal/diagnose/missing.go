package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// Nothing waits for the goroutine that the other place starts, or a sleep stands instead.
var (
	missesIt         = finding.Claim{Category: "async-wait", NoWait: true}
	whyUnwaited      = &kind{name: "unwaited", claim: missesIt, why: say.WhyOutlives, fix: []said{{say.FixWaitGo, "o"}}}
	whyUnwaitedSleep = &kind{name: "unwaited-sleep", claim: missesIt, why: say.WhySleeps, fix: awaitIt}
)

// missing returns where a wait is missing, on the way to the failure, for the goroutine that an experiment has held:
// after its start, up to where the failure comes from; or a sleep between.
func (s *scene) missing(v *finding.Verdict, e finding.Evidence) []finding.Suspect {
	start := s.rel(v.Started())
	g, _ := s.Source.Started(start.File, start.Line)
	if g == nil {
		return nil
	}
	tell := s.Source.Untaken(g)
	for _, f := range s.failing() {
		if tell == nil || start.Line >= f.Line || !slices.Contains(s.Source.Before(f.File, f.Line, false, source.Go), g) {
			continue
		}
		span, slept := s.gap(start, f)
		if first, last := s.Source.InScope(tell.Obj(), g); first > 0 && last < span.Start {
			span, slept = trace.Span{File: f.File, Start: max(first, last-maxWindow+1), End: last}, false
		}
		if slept {
			return []finding.Suspect{at(span, e, reason{whyUnwaitedSleep, start})}
		}
		return []finding.Suspect{at(span, e, reason{whyUnwaited, start})}
	}
	return nil
}

// failing returns where the functions stand of the goroutine that failed, and the go statements that led to it, or
// the failed check alone.
func (s *scene) failing() []trace.Frame {
	if st := s.failed(); st != nil {
		if list := s.frames(st.d.Path, true); len(list) > 0 {
			for _, start := range slices.Backward(st.d.Class) {
				list = append(list, s.rel(start))
			}
			return list
		}
	}
	if f := s.rel(s.Failure.Frame); f.File != "" {
		return []trace.Frame{f}
	}
	return nil
}

// gap returns the lines between a go statement and a place further down in its function, the last of them if there are
// many; if the function sleeps there, the last sleep.
func (s *scene) gap(start, to trace.Frame) (span trace.Span, slept bool) {
	for _, o := range slices.Backward(s.Source.Before(to.File, to.Line, false, source.Wait)) {
		if s.Source.Line(o.Node) > start.Line && o.How == "time.Sleep" && !s.Source.Polls(o.Block) {
			return s.lineOf(o), true
		}
	}
	span = line(to)
	if first := s.Source.LineAfter(start.File, start.Line, to.Line); first > 0 {
		span.Start = max(first, to.Line-maxWindow+1)
	}
	return span, false
}
