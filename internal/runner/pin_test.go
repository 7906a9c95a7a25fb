//go:build unix

package runner

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestPin pins each recorded run by its own seed, which is kept with the run, but no control run.
// The processes see the plan, and none is left behind.
func TestPin(t *testing.T) {
	r := newRunner(t, "TestFlaky|TestPass")
	r.N, r.Controls = 5, 3
	var mu sync.Mutex
	written := make(map[uint64]string)
	r.Pin = func(file string, seed uint64, first bool) error {
		mu.Lock()
		defer mu.Unlock()
		written[seed] = file
		return os.WriteFile(file, nil, 0o666)
	}
	var seen []string
	r.Exec.start = func(c command) (process, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, kv := range c.Env {
			if file, ok := strings.CutPrefix(kv, "FDEBUG_PERTURB="); ok {
				seen = append(seen, file)
			}
		}
		return startProcess(c)
	}
	results, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := results.Packages[0]
	for _, run := range p.Runs {
		if run.Seed == 0 || run.Seed>>seedBits != 0 || !slices.Contains(seen, written[run.Seed]) {
			t.Errorf("run %d has the seed %d, with the plan %q", run.N, run.Seed, written[run.Seed])
		}
		if _, err := os.Stat(written[run.Seed]); err == nil {
			t.Errorf("%s was left behind", written[run.Seed])
		}
	}
	for _, run := range p.Controls {
		if run.Seed != 0 {
			t.Errorf("control run %d has the seed %d", run.N, run.Seed)
		}
	}
	if len(p.Runs) != 5 || len(written) != 5 || len(seen) != 5 {
		t.Errorf("%d runs, %d plans, %d of them seen", len(p.Runs), len(written), len(seen))
	}
	checkLoad(t, r.Dir, results)
}

// TestPinFails makes the runs even if plans cannot be written.
func TestPinFails(t *testing.T) {
	r := newRunner(t, "TestPass")
	r.N = 2
	r.Pin = func(string, uint64, bool) error { return errors.New("disk full") }
	results, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range results.Packages[0].Runs {
		if run.Seed != 0 || run.Failed() {
			t.Errorf("run %d has the seed %d", run.N, run.Seed)
		}
	}
}
