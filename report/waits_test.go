package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/browsertest"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

func queueAt(file string, line int) trace.Frame {
	return trace.Frame{Func: "example.com/m/queue.f", File: "/home/gopher/m/queue/" + file, Line: line}
}

// waiting is the hang of TestDrainSlow: the test waits for the worker, the worker
// for jobs that nobody closes; three others wait as they do in passing runs.
func (f *fixture) waiting() *finding.Hang {
	worker := finding.Actor{Started: queueAt("queue.go", 22)}
	idle := finding.Wait{By: finding.Actor{Started: trace.Frame{Func: "net/http.(*Server).Serve", File: "/usr/local/go/src/net/http/server.go", Line: 3454}},
		At: queueAt("queue.go", 27), Reason: "chan send", For: "q.jobs", Since: 9 * time.Second, Benign: true, Failing: 2, Waiting: 8, Never: 1}
	return &finding.Hang{Kind: finding.HangTimeout, Run: 2, Failing: 2, Passing: 9, Waits: []finding.Wait{
		{
			By: finding.Actor{Root: true}, At: queueAt("queue.go", 43), Reason: "sleep", For: "tick", Since: 9876 * time.Millisecond, Failing: 2,
			Past: 9,
		},
		{
			By: worker, At: queueAt("queue.go", 34), Reason: "chan receive", For: "q.jobs", Since: 9870 * time.Millisecond, Stuck: true, Failing: 2,
			Holds: []finding.HeldLock{{Lock: "q.mu", At: queueAt("queue.go", 33)}}, Past: 6, Never: 3,
		},
		idle, idle, idle,
	}}
}

// TestLeft has what is said of a goroutine that a test has left: the place where it waits.
func TestLeft(t *testing.T) {
	f := newFixture(t)
	test := f.hang()
	h := test.Failures[0].Hang
	h.Kind, h.Waits = finding.HangLeak, h.Waits[1:2]
	v := newViewer(f.result(test))
	v.of(test)
	test.Failures[0].Suspects = []finding.Suspect{{Span: finding.Span{File: "queue/queue.go", Start: 43, End: 43}, Reason: verdicttest.Reason{Label: say.WhyWaits}, Evidence: finding.Evidence{Class: finding.Hint}}}
	c := v.known(0, test.Failures[0])
	const said = "This goroutine still waits here when the test ends."
	if got := sentences(c.Said); got != said || c.Kind != "resource-leak" || len(c.named) != 1 || c.named[0] != line(34) {
		t.Errorf("%s (%s) at %v\nwant %s (resource-leak) at %v", got, c.Kind, c.named, said, line(34))
	}
	if b := c.Bars[0]; b.Label.String() != "waits here" {
		t.Errorf("the bar says %q, want that it waits", b.Label)
	}
}

// TestWaitTable opens the page on a phone and on a desk: the table is there with
// its rows, goroutines that wait alike are one row, benign ones are folded away,
// and nothing sticks out of the screen.
func TestWaitTable(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.hang()
	b.Show("hang.html", pageOf(t, f.result(test), test))
	browsertest.Eval[bool](b, `document.getElementById("details").open = true`)
	for _, width := range []int64{360, 1280} {
		b.Look("light", width, 900)
		if got := browsertest.Eval[string](b, `document.querySelector("table.waits").innerText.replace(/\s+/g, " ")`); !strings.Contains(got, "go q.work() (queue.go:22)") || !strings.Contains(got, "q.jobs chan receive can never go on") || !strings.Contains(got, "6 of 9") {
			t.Errorf("%d pixels: the table says %q", width, got)
		}
		if n := browsertest.Eval[int](b, `document.querySelectorAll("table.waits").length`); n != 2 {
			t.Errorf("%d pixels: %d tables, want that of what hangs and that of what is benign", width, n)
		}
		if got := browsertest.Eval[string](b, `document.querySelector("details.text table.waits tbody").textContent`); !strings.Contains(got, "×3") {
			t.Errorf("%d pixels: three alike are shown as %q", width, got)
		}
		if browsertest.Eval[bool](b, `document.querySelector("details.text:has(table.waits)").open`) {
			t.Errorf("%d pixels: what is benign is not folded away", width)
		}
		if n := browsertest.Eval[int](b, `document.documentElement.scrollWidth - window.innerWidth`); n > 0 {
			t.Errorf("%d pixels: the page is %d wider", width, n)
		}
		labelled := browsertest.Eval[string](b, `getComputedStyle(document.querySelector("table.waits td"), "::before").content`)
		if phone := width == 360; phone != strings.Contains(labelled, "waits at") {
			t.Errorf("%d pixels: cells are labelled %s", width, labelled)
		}
	}
	b.Quiet()
}

// TestWaitsJSON checks the document, as a program would read it.
func TestWaitsJSON(t *testing.T) {
	f := newFixture(t)
	var b bytes.Buffer
	if err := JSON(&b, f.result(f.hang())); err != nil {
		t.Fatal(err)
	}
	d, err := ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	h := d.Tests[0].Failures[0].Hang
	if h == nil || h.Kind != "timeout" || h.Run != 2 || len(h.Waits) != 5 || d.Tests[0].Failures[1].Hang != nil {
		t.Fatalf("got %+v", h)
	}
	w := h.Waits[0]
	if !w.By.Root || w.At.File != "queue/queue.go" || w.At.Line != 43 || w.For != "tick" || w.Since != 9876*time.Millisecond {
		t.Errorf("got %+v", w)
	}
}
