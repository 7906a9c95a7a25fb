package diagnose

import (
	"regexp"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var outlivesRule = Rule{
	Name: "outlives",
	Doc: `A goroutine that still runs after its test has completed, and then fails, logs or
panics. Named are its go statement and the test.`,
	find: outlives,
}

// completed is the message of package testing for a goroutine that outlives its test.
var completed = regexp.MustCompile(`(?:Fail|Log) in goroutine after (\S+) has completed`)

func outlives(s *scene) []finding.Suspect {
	test, st := s.outlivedTest(), s.failed()
	if test == "" || st == nil || len(st.d.Class) == 0 {
		return nil
	}
	e := finding.Evidence{Class: finding.Mechanism, Link: finding.Decides}
	started := s.rel(st.d.Class[len(st.d.Class)-1])
	list := []finding.Suspect{at(line(started), e, reason{whyOutlives, started})}
	if test == trace.TopTest(test) { // no function is the whole of a subtest
		list = append(list, at(line(s.testFunc(test)), e, reason{whyOutlivesTest, started}))
	}
	return list
}

// outlivedTest returns the test that had completed when a goroutine that it had started failed, logged or ended
// the process; "" if the failure is another one.
func (s *scene) outlivedTest() string {
	if s.Failure.Late {
		return s.Test.Name
	}
	if said := completed.FindStringSubmatch(s.Failure.Message); said != nil {
		return said[1]
	}
	return ""
}
