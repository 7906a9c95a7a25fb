package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// A test that fails in two ways has suspects for each, in all reports; those of
// the test as a whole are those of the first that has any.
func TestSuspectsOfEachFailure(t *testing.T) {
	f := newFixture(t)
	test := f.hang()
	test.Failures[0].Suspects = []finding.Suspect{{File: "queue/queue.go", Start: 37, End: 37, Reason: finding.Reason{Kind: finding.ReasonSelfLock, Code: "first"}}}
	test.Failures[1].Suspects = []finding.Suspect{{File: "queue/queue.go", Start: 44, End: 44, Reason: finding.Reason{Kind: finding.ReasonSelfLock, Code: "second"}}}
	r := f.result(test)
	var md, doc bytes.Buffer
	for _, err := range []error{Markdown(&md, r, test), JSON(&doc, r)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	page := string(pageOf(t, r, test))
	page = page[:strings.Index(page, `<section id="markdown">`)]
	for name, text := range map[string]string{"page": page, "Markdown": md.String()} {
		first, second := strings.Index(text, "waits for first"), strings.Index(text, "waits for second")
		heading := strings.Index(text, "Failure 2 of 2")
		if first < 0 || heading < first || second < heading || strings.Count(text, "waits for second") != 1 {
			t.Errorf("%s: reasons at %d and %d, the second failure at %d", name, first, second, heading)
		}
	}
	d, err := ReadJSON(&doc)
	if err != nil {
		t.Fatal(err)
	}
	x := d.Tests[0]
	if got := x.Suspects; len(got) != 1 || got[0].Start != 37 {
		t.Errorf("suspects of the test: %+v", got)
	}
	if got := x.Failures[1].Suspects; len(got) != 1 || got[0].Start != 44 || !strings.HasPrefix(got[0].Why, "waits for second") {
		t.Errorf("suspects of the second failure: %+v", got)
	}
}
