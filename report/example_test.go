package report_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/fdebug/fdebug/report"
)

// What a run has found out is read from its result.json. This is the
// beginning: the tests that are flaky, with the place to look at first.
func ExampleReadJSON() {
	const file = `{"schema": "fdebug/v1", "command": ["fdebug", "run"], "go": "go1.26.8", "module": "example.com/m", "elapsed_s": 3.5, "tests": [
		{"package": "example.com/m", "test": "TestCoin", "flaky": true, "runs": 50, "passed": 38, "failed": 12, "skipped": 0, "not_run": 0, "suspects": [
			{"file": "coin.go", "start": 9, "end": 9, "rule": "draw", "class": "associated", "link": "decides", "why": "it depends on math/rand"}]}]}`
	doc, err := report.ReadJSON(strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range doc.Tests {
		if t.Flaky && len(t.Suspects) > 0 {
			s := t.Suspects[0]
			fmt.Printf("%s failed in %d of %d runs: %s:%d (%s)\n", t.Test, t.Failed, t.Runs, s.File, s.Start, s.Class)
		}
	}
	// Output:
	// TestCoin failed in 12 of 50 runs: coin.go:9 (associated)
}
