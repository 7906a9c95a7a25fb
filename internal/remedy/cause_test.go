package remedy

import (
	"os"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestCauseOf has proofs of each kind for which there are edits, at places for which there is
// one and at others: of a map it is a loop that leaves the map as it is, and a wait is one within a function.
func TestCauseOf(t *testing.T) {
	const text = `package m

import "time"

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
`
	source := Proposer{Source: func(name string) ([]byte, error) {
		if name != "m.go" {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}}
	at := func(line int) *proof.Place { return &proof.Place{File: "m.go", Line: line} }
	started := at(18)
	started.Goroutine = &proof.GoroutineRef{Chain: []proof.Start{{Test: "TestX"}, {File: "m.go", Line: 18}}}
	late := proof.Acts{{Kind: trace.ActStall, At: started}}
	first := *at(20)
	for name, c := range map[string]struct {
		p    proof.Proof
		want bool
	}{
		"a map by its name":                {proof.Proof{Plan: proof.Acts{{Kind: trace.ActMap, At: at(8)}}}, true},
		"a map of all that are pinned":     {proof.Proof{Plan: verdicttest.Named("map"), At: []proof.Place{*at(8)}}, true},
		"a map that the loop changes":      {proof.Proof{Plan: proof.Acts{{Kind: trace.ActMap, At: at(11)}}}, false},
		"a random number":                  {proof.Proof{Plan: proof.Acts{{Kind: trace.ActRand, At: at(8)}}}, false},
		"a goroutine of the same function": {proof.Proof{Plan: late, Opposite: proof.Acts{{Kind: trace.ActStall, At: at(20)}}}, true},
		"a goroutine of another function":  {proof.Proof{Plan: late, Opposite: proof.Acts{{Kind: trace.ActStall, At: at(8)}}}, false},
		"what comes too early":             {proof.Proof{Plan: late, Opposite: append(slices.Clone(late), proof.Act{Kind: trace.ActStall, At: &first})}, true},
		"the first of two events": {proof.Proof{Plan: proof.Acts{{Kind: trace.ActOrder, At: at(18), Until: at(20)}},
			At: []proof.Place{first, *started}}, true},
		"the failed check":                 {proof.Proof{Plan: late, Signature: proof.Signature{File: "m.go", Line: 20}}, true},
		"nobody is known to come too soon": {proof.Proof{Plan: late}, false},
		"who set a variable":               {proof.Proof{Before: []string{"TestSets"}}, false},
	} {
		cause := CauseOf(&c.p)
		cause.Files = []string{"m.go"}
		if got := len(source.Propose(cause)) > 0; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
