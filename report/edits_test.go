package report

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestEditable has causes of each kind for which there are edits, at places for which there is
// one and at others: of a map it is a loop that leaves the map as it is, and a wait is one within a function.
func TestEditable(t *testing.T) {
	const text = `package m

import ("os"; "testing"; "time")

var limit = 1

func keys(m map[string]int) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	for k := range m {
		delete(m, k)
	}
	return list
}

func wait() {
	go work()
	time.Sleep(1)
	look()
}

func TestSets(t *testing.T) {
	limit = 2
}

func TestWrites(t *testing.T) {
	os.WriteFile("x", nil, 0o600)
}
`
	f := newFixture(t)
	r := f.result()
	r.Sites.Files = append(r.Sites.Files, trace.File{Path: "m/m.go", Name: "example.com/m/m/m.go"})
	source := r.Source
	r.Source = func(path string) ([]byte, error) {
		if path == "m/m.go" {
			return []byte(text), nil
		}
		return source(path)
	}
	at := func(line int) []finding.Span { return []finding.Span{{File: "m/m.go", Start: line, End: line}} }
	started := trace.Frame{File: r.Sites.Root + "/m/m.go", Line: 18}
	for name, tt := range map[string]struct {
		d    finding.Verdict
		want bool
	}{
		"a map by its name":                {verdicttest.Verdict{Proof: proof.Proof{Plan: proof.Named("map")}, Window: at(8)}.Make(), true},
		"a map that the loop changes":      {verdicttest.Verdict{Proof: proof.Proof{Plan: proof.Named("map")}, Window: at(11)}.Make(), false},
		"a random number":                  {verdicttest.Verdict{Proof: proof.Proof{Plan: proof.Named("rand")}, Window: at(8)}.Make(), false},
		"a goroutine of the same function": {verdicttest.Verdict{Proof: proof.Proof{Plan: proof.Named("stall")}, Started: started, Cure: at(20)}.Make(), true},
		"a goroutine of another function":  {verdicttest.Verdict{Proof: proof.Proof{Plan: proof.Named("stall")}, Started: started, Cure: at(8)}.Make(), false},
		"nobody is known to come too soon": {verdicttest.Verdict{Proof: proof.Proof{Plan: proof.Named("stall")}, Started: started}.Make(), false},
		"who set a variable":               {verdicttest.Verdict{Proof: proof.Proof{Before: []string{"TestSets"}}}.Make(), true},
		"who left a file":                  {verdicttest.Verdict{Proof: proof.Proof{Before: []string{"TestWrites"}}}.Make(), false},
		"who is needed":                    {verdicttest.Verdict{Proof: proof.Proof{Needs: []string{"TestSets"}}}.Make(), false},
		"a Read that is none":              {verdicttest.Verdict{Proof: proof.Proof{Plan: proof.Named("read")}, Window: at(8)}.Make(), false},
	} {
		v := newViewer(r)
		v.t = &finding.Test{Package: "example.com/m/m"}
		if tt.d.Proof.Verdict = proof.Proved; v.editable(&tt.d) != tt.want {
			t.Errorf("%s: %v", name, !tt.want)
		}
		if tt.d.Proof.Verdict = proof.Reproduced; v.editable(&tt.d) {
			t.Errorf("%s: it is not proved", name)
		}
	}
}
