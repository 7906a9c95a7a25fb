package diagnose

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var concurrentRule = Rule{
	Name: "concurrent",
	Doc: `What other goroutines change that decides, at about the time at which it is looked
at: by when they waited it can't be told which came first. The source says that it
is the same object; nothing shows that it matters.`,
	find: concurrent,
}

func concurrent(s *scene) []finding.Suspect {
	if s.a == nil {
		return nil
	}
	var list []finding.Suspect
	for _, m := range s.a.Concurrent {
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
		list = append(list, at(span, finding.Evidence{Class: finding.Hint, Link: link, Step: m.Divergence},
			finding.Reason{Kind: finding.ReasonConcurrent, Other: s.end(last)}))
	}
	return list
}
