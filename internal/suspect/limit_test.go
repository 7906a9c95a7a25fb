package suspect

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
)

const limited = `package p
func TestX(t *testing.T) {
	soon(t, q.done,
		time.Second)
}
func soon(t *testing.T, done chan bool, limit time.Duration) {
	await(t, limit, done)
}
func await(t *testing.T, limit time.Duration, done chan bool) {
	timer := time.NewTimer(limit)
	select {
	case <-done:
		return
	case <-timer.C:
		t.Fatal("too late")
	}
}
`

// The limit that await has reached was handed on by soon (7), and is given in
// line 4. Without a caller there is but the case for it.
func TestLimitGiven(t *testing.T) {
	in := Input{
		Sites:  lineSites(limited, [2]int{2, 5}, [2]int{6, 8}, [2]int{9, 17}),
		Source: func(string) ([]byte, error) { return []byte(limited), nil },
	}
	in.Sites.Blocks[3].EndLine = 4
	d := &divergence.Divergence{
		LastCommon: 11, FailNext: 15, PassNext: 13, Table: divergence.Table{FailTaken: 4, PassNot: 9},
		Path: []divergence.Call{{Func: 0, Block: 3}, {Func: 1, Block: 7}, {Func: 2, Block: 11}},
	}
	in.Analysis = &divergence.Analysis{Chain: []*divergence.Divergence{d}}
	if got := firstLine(t, in); got != 4 {
		t.Errorf("first suspect in line %d, want 4", got)
	}
	d.Path = d.Path[2:]
	if got := firstLine(t, in); got != 15 {
		t.Errorf("without a caller: first suspect in line %d, want 15", got)
	}
}
