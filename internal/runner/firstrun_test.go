//go:build unix

package runner

import (
	"os"
	"slices"
	"testing"
)

// TestFirstTells has the first run, and no other, say whether the tests read the clock. The runs after it, also
// those without probes, begin at a drawn phase, and do not last longer for it.
func TestFirstTells(t *testing.T) {
	r := newRunner(t, "TestFlaky|TestPass")
	r.N, r.Controls = 8, 2
	var first []bool
	r.Pin = func(file string, _ uint64, is bool) error {
		first = append(first, is)
		return os.WriteFile(file, nil, 0o666)
	}
	asked := 0
	r.Clocked = func(string) bool { asked++; return true }
	results, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := results.Packages[0]
	if asked != 1 || len(first) != 8 || !first[0] || slices.Contains(first[1:], true) {
		t.Errorf("asked %d times; of the runs these were the first: %v", asked, first)
	}
	// The second run may begin before the trace of the first one is read.
	for _, run := range append(p.Runs[2:], p.Controls...) {
		if run.Period == 0 {
			t.Errorf("run %d (control: %v) was started at once", run.N, run.Control)
		}
	}
	if p.Runs[0].Period != 0 || len(p.Controls) != 2 {
		t.Errorf("the first run has a period of %v; %d control runs", p.Runs[0].Period, len(p.Controls))
	}
	checkLoad(t, r.Dir, results)
}
