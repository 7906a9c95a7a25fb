package report

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// A goroutine of another test, or of another subtest, is told with it; one of the failing test is not.
func TestInOtherTest(t *testing.T) {
	v := newViewer(newFixture(t).result())
	for _, c := range []struct {
		d    finding.Verdict
		want string
	}{
		{finding.Verdict{}, "the test's own goroutine"},
		{finding.Verdict{InTest: "TestX/other"}, "the goroutine of TestX/other"},
		{finding.Verdict{InTest: "TestX/other", Started: trace.Frame{File: "queue/queue.go", Line: 31}}, "a goroutine started at queue/queue.go:31 in TestX/other"},
		{finding.Verdict{InTest: "TestX/other", StartedBy: "sync.(*WaitGroup).Go", OneOf: true}, "a goroutine that sync.(*WaitGroup).Go started in TestX/other"},
	} {
		if got := v.whoOf(&c.d).Plain(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	d := &finding.Verdict{Events: []finding.Hold{{InTest: "TestX/other", StartedBy: "sync.(*WaitGroup).Go", Nth: 2}}}
	if got, want := v.eventWho(say("this"), d, 0).Plain(), "this in the 2nd goroutine that sync.(*WaitGroup).Go started in TestX/other"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
