package suspect

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// Another goroutine sets q.done (line 12) at an unknown time. The test sleeps in
// line 4 before it looks, in a condition that does not lead straight to the
// failed check, which is elsewhere.
func TestSleepBeforeLook(t *testing.T) {
	in := input()
	d := in.Analysis.Chain[0]
	d.Goroutine, d.CommonPrefix = in.Analysis.Orders[0].Fail.Anchor, 3
	in.Analysis.Orders = nil
	in.Analysis.Meanwhile = []divergence.Meanwhile{{Own: true, Blocks: []int{6, 7}}}
	in.Check = trace.Frame{File: "/m/p/a.go", Line: 7}
	if got, want := lines(Find(in)), "p/a.go:4 p/a.go:12 p/a.go:5 p/a.go:6 p/a.go:7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Line 11 had not been run in three of five failing runs: that says more than
// line 12, of which it is not known when it was run.
func TestWeakOrderBeforeMeanwhile(t *testing.T) {
	in := input()
	o := &in.Analysis.Orders[0]
	o.Fail.Anchor.Stamps = nil
	o.Missing = o.Missing[:1]
	in.Analysis.Chain[0].SamePath = true
	in.Analysis.Meanwhile = []divergence.Meanwhile{{Own: true, Blocks: []int{7}}}
	o.Table = divergence.Table{FailTaken: 3, FailNot: 2, PassNot: 10}
	if got, want := lines(Find(in)), "p/a.go:11 p/a.go:12 p/a.go:5 p/a.go:6"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

const listening = `package p
var admin = ":1323"
func TestPorts(t *testing.T) {
	a := "127.0.0.1:1323"
	b := "http://[::1]:1323/ok"
	c := "127.0.0.1:13230"
	serve(a, b, c, 1323)
}
`

// The port is written in lines 4, 5 and 7 of the function that failed. One that
// only another declaration has is found too, and one that no source has is not.
func TestFixedPort(t *testing.T) {
	for message, want := range map[string]string{
		"listen tcp4 127.0.0.1:1323: bind: address already in use": "p/a.go:4 p/a.go:5 p/a.go:7",
		"listen tcp4 127.0.0.1:1324: bind: address already in use": "p/a.go:7",
		`Get "http://127.0.0.1:1323/ok": EOF`:                      "p/a.go:7",
	} {
		in := Input{
			Analysis: &divergence.Analysis{}, Message: message,
			Sites:  lineSites(listening, [2]int{3, 8}),
			Source: func(string) ([]byte, error) { return []byte(listening), nil },
			Check:  trace.Frame{File: "/m/p/a.go", Line: 7},
		}
		if got := lines(Find(in)); got != want {
			t.Errorf("%s: got %s, want %s", message, got, want)
		}
		in.Check.Line = 1
		if got := len(Find(in)); got != map[bool]int{true: 5, false: 1}[want != "p/a.go:7"] {
			t.Errorf("%s: %d suspects if no port is in the function that failed", message, got)
		}
	}
}
