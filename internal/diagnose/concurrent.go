package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var concurrentRule = Rule{
	Name: "concurrent",
	Doc: `What other goroutines change that decides, at about the time at which it is looked
at: by when they waited it can't be told which came first. The source says that it
is the same object; nothing shows that it matters. If the last that the test waited
for was a time, that is named first: nothing but the time makes it look later.`,
	find: concurrent,
}

func concurrent(s *scene) []finding.Suspect {
	if s.a == nil {
		return nil
	}
	var list []finding.Suspect
	for _, m := range s.a.Meanwhile {
		st := s.steps[m.Divergence]
		link, span := finding.Unlinked, trace.Span{}
		for _, b := range m.Blocks { // the last one completes what is looked at
			if l, at := s.link(st, b); l >= link && l > finding.Unlinked {
				link, span = l, at
			}
		}
		if link < finding.Feeds {
			continue
		}
		last, _ := st.d.LastCommon.Block()
		e := finding.Evidence{Class: finding.Hint, Link: link, Step: m.Divergence, Explains: []trace.Frame{s.end(last)}}
		done := trace.Frame{File: span.File, Line: span.Start}
		if s.sleeps(m.Waited) {
			list = append(list, at(s.waitSpan(m.Waited), e, finding.Reason{Kind: finding.ReasonSleep, Other: done}))
		}
		list = append(list, at(span, e, finding.Reason{Kind: finding.ReasonConcurrent, Other: s.end(last)}))
	}
	return list
}
