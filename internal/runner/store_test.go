package runner

import (
	"strings"
	"testing"
)

// TestSeed checks that the n-th run of a package has the same seed wherever it is made, and that
// no two runs share one.
func TestSeed(t *testing.T) {
	seeds := make(map[uint64]bool)
	for _, pkg := range []string{"a", "b"} {
		for n := 1; n <= 100; n++ {
			p := &packageRun{s: &session{r: &Runner{Seed: 7}}, pkg: &Package{Target: Target{ImportPath: pkg}}}
			seed := p.seed(n)
			if seed != p.seed(n) || seed == 0 || seed>>seedBits != 0 || seeds[seed] {
				t.Fatalf("run %d of %s has the seed %d", n, pkg, seed)
			}
			seeds[seed] = true
		}
	}
	p := &packageRun{s: &session{r: &Runner{}}, pkg: &Package{}}
	if first, second := p.seed(1), p.seed(1); first == second {
		t.Error("free seeds are the same")
	}
}

// TestLongLine refuses a line too long for a file of runs.
func TestLongLine(t *testing.T) {
	err := EachRecord(strings.NewReader(`{"begin":{}}`+"\n"+strings.Repeat("x", maxRecord+5)), func(*Record) error { return nil })
	if err == nil || !strings.Contains(err.Error(), ":2: a line without an end") {
		t.Errorf("error %v", err)
	}
}
