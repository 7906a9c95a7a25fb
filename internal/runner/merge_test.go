package runner

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// sessionFile is the file of runs of one of several sessions: one run, and the logs that it
// found.
func sessionFile(run *Run, logs map[place]bool) []byte {
	var file closer
	s := &store{file: &file}
	r := &Results{Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), N: 2}
	s.begin(r)
	p := &Package{Target: Target{ImportPath: "m", Dir: "/src"}}
	s.addPackage(p)
	s.addRun(run)
	s.addLogs("m", logs)
	s.end(r)
	return file.Bytes()
}

// TestMergerLogs has a failure after a message that only runs of another session show to be a
// log. After merging, the failure is the later one, as if one session had seen both.
func TestMergerLogs(t *testing.T) {
	failed := &Run{Package: "m", N: 1, Exit: Exit{Code: 1}, Outcomes: []*Outcome{{
		Test: "TestX", Status: Failed, Output: "    help.go:7: state 3\n    x_test.go:9: odd\n",
		Message: "state 3", Signature: Signature{Test: "TestX", Message: "state N"},
	}}}
	passed := &Run{Package: "m", N: 2, Outcomes: []*Outcome{{Test: "TestX", Status: Passed}}}
	for _, c := range []struct {
		logs map[place]bool
		want string
	}{{nil, "state N"}, {map[place]bool{{"other.go", 7}: true}, "state N"}, {map[place]bool{{"help.go", 7}: true}, "odd"}} {
		dir := t.TempDir()
		m, err := NewMerger(dir, Results{Started: time.Now(), N: 2})
		if err != nil {
			t.Fatal(err)
		}
		m.Root, m.Kept = "/src", func(string) string { return "/nowhere" }
		visit := func(*Run) error { return nil }
		for _, file := range [][]byte{sessionFile(failed, nil), sessionFile(passed, c.logs)} {
			if err := m.Add(bytes.NewReader(file), "", visit); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Packages[0].Runs[0].Outcomes[0].Signature.Message; got != c.want {
			t.Errorf("with logs %v the failure is %q, want %q", c.logs, got, c.want)
		}
	}
}

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
	err := eachRecord(strings.NewReader(`{"begin":{}}`+"\n"+strings.Repeat("x", maxRecord+5)), func(*record) error { return nil })
	if err == nil || !strings.Contains(err.Error(), ":2: a line without an end") {
		t.Errorf("error %v", err)
	}
}
