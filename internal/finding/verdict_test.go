package finding

import (
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// Held at a place the test fails, and held elsewhere about as often: nothing is shown of the
// place. What is proved rests on more.
func TestAnywhere(t *testing.T) {
	of := func(failed int) Count { return Count{Failed: failed, Of: 20} }
	for _, c := range []struct {
		v    Verdict
		want bool
	}{
		{Verdict{Proof: proof.Proof{Verdict: proof.Reproduced, Confirmed: proof.Confirmation{With: of(12), Sham: of(10)}}}, true},
		{Verdict{Proof: proof.Proof{Verdict: proof.Reproduced, Confirmed: proof.Confirmation{With: of(12), Sham: of(15)}}}, true},
		{Verdict{Proof: proof.Proof{Verdict: proof.Reproduced, Confirmed: proof.Confirmation{With: of(20), Sham: of(12)}}}, false},
		{Verdict{Proof: proof.Proof{Verdict: proof.Reproduced, Confirmed: proof.Confirmation{With: of(12), Sham: of(1)}}}, false},
		{Verdict{Proof: proof.Proof{Verdict: proof.Reproduced, Confirmed: proof.Confirmation{With: of(12)}}}, false}, // there was no other place
		{Verdict{Proof: proof.Proof{Verdict: proof.Proved, Confirmed: proof.Confirmation{With: of(19), Sham: of(16)}}}, false},
	} {
		if got := c.v.Anywhere(); got != c.want {
			t.Errorf("%+v against %+v: %v", c.v.Proof.Confirmed.With, c.v.Proof.Confirmed.Sham, got)
		}
	}
}

// TestEvents has orders of two goroutines: of several that are started at one place it is
// kept which they are, counted from 1.
func TestEvents(t *testing.T) {
	test := proof.Start{Test: "TestX"}
	by := proof.Start{In: "sync.(*WaitGroup).Go", Line: 238}
	ref := func(nth int, chain ...proof.Start) *proof.GoroutineRef {
		return &proof.GoroutineRef{Chain: chain, Nth: nth}
	}
	for _, tt := range []struct {
		first, then *proof.GoroutineRef
		want        []Hold
	}{
		{ref(0, test), ref(0, test, by), []Hold{{}, {StartedBy: by.In}}},
		{ref(0, test), ref(2, test, by), []Hold{{}, {StartedBy: by.In, Nth: 3}}},
		{ref(0, test, by), ref(6, test, by), []Hold{{StartedBy: by.In, Nth: 1}, {StartedBy: by.In, Nth: 7}}},
		{nil, ref(0, test), nil},
		{ref(0, proof.Start{Test: "TestX/other"}), ref(0, proof.Start{Test: "TestX/other"}, by), []Hold{{InTest: "TestX/other"}, {StartedBy: by.In, InTest: "TestX/other"}}},
	} {
		v := Verdict{Proof: proof.Proof{Plan: proof.Acts{{Kind: trace.ActOrder}}, At: []proof.Place{{Goroutine: tt.first}, {Goroutine: tt.then}}}}
		v.Proof.Signature.Test = "TestX"
		if got := v.Events(); !slices.Equal(got, tt.want) {
			t.Errorf("%+v, %+v: got %+v, want %+v", tt.first, tt.then, got, tt.want)
		}
	}
}

// Whether all goroutines of a kind were held, or one of several.
func TestWhoIsHeld(t *testing.T) {
	for _, c := range []struct {
		name    string
		g       proof.GoroutineRef
		several bool
	}{
		{"the only one", proof.GoroutineRef{}, false},
		{"the second", proof.GoroutineRef{Nth: 1}, true},
		{"the first, of three that different goroutines start there", proof.GoroutineRef{Among: 3}, true},
		{"all", proof.GoroutineRef{All: true}, true},
		{"the first that comes there, and no other", proof.GoroutineRef{All: true, First: true}, false},
		{"the first of two that comes there", proof.GoroutineRef{All: true, First: true, Among: 2}, true},
	} {
		c.g.Chain = []proof.Start{{Test: "TestX"}, {In: "f", File: "m.go", Line: 3}}
		v := Verdict{Proof: proof.Proof{Plan: proof.Acts{{Kind: trace.ActStall, At: &proof.Place{Goroutine: &c.g}}}}}
		if v.Several() != c.several {
			t.Errorf("%s: several %v", c.name, v.Several())
		}
	}
}
