package ciout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/report"
)

// A failure is one way in which a test failed, ready to be written.
type failure struct {
	kind    string // "fail", "timeout" or "crash"
	message string // one line
	text    string // what is known: rate, cause, places
	output  string // of the test in one such run
}

const (
	maxFailures = 10   // that are written of one test
	maxName     = 1000 // characters of a name
	maxMessage  = 1000 // of a message
)

// failures returns how a test failed, the most frequent way first.
func (r *Report) failures(c *Case, clean *cleaner) []failure {
	t := c.Test
	if t == nil {
		return []failure{{"fail", clean.line(c.said(), maxMessage), clean.line(r.causeOf(c).Said, maxMessage), ""}}
	}
	ready := func(kind, message, output, dump string, f *finding.Failure) failure {
		return failure{
			kind, clean.line(message, maxMessage), r.known(c, f, clean), clean.cut(join(output, dump), 4<<10, 12<<10),
		}
	}
	var list []failure
	for i, f := range t.Failures {
		if i == maxFailures {
			list[i-1].text += fmt.Sprintf("\n%d more ways of failing are left out here.", len(t.Failures)-i)
			break
		}
		message := fmt.Sprintf("%d of them: %s", len(f.Runs), f.Message)
		if len(t.Failures) == 1 {
			message = c.said() + ": " + f.Message
		}
		list = append(list, ready(kindOf(t, f), message, f.Output, f.Dump, f))
	}
	if p := t.PlainFailure; p != nil && len(list) == 0 {
		list = append(list, ready("fail", c.said()+": "+p.Message, p.Output, p.Dump, nil))
	}
	return list
}

// kindOf says how the runs of a failure ended: a hang and a panic are told from a failed check.
func kindOf(t *finding.Test, f *finding.Failure) string {
	i := slices.IndexFunc(t.Runs, func(r finding.Run) bool {
		return slices.Contains(f.Runs, r.N) && r.Status.Failing()
	})
	if i < 0 {
		return string(finding.Failed)
	}
	return string(t.Runs[i].Status)
}

// known says in a few lines what is known of a failure; f may be nil.
func (r *Report) known(c *Case, f *finding.Failure, clean *cleaner) string {
	var lines []string
	say := func(s string) {
		if s != "" {
			lines = append(lines, clean.line(s, 2000))
		}
	}
	say(c.said())
	cause := r.causeOf(c)
	say(strings.TrimPrefix(cause.Place()+": "+cause.Said, ": "))
	if f == nil {
		return strings.Join(lines, "\n")
	}
	say(report.HowItFails(r.Result, c.Test, f))
	if file, ok := r.rel(f.Frame.File); ok {
		say(fmt.Sprintf("failed at %s:%d", file, f.Frame.Line))
	}
	return strings.Join(lines, "\n") + "\n\n" + clean.cut(f.Message, 4<<10, 2<<10)
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimRight(a, "\n") + "\n\n" + b
}
