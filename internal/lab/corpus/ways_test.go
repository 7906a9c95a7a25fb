package main

import (
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
)

// Of the steps of the way the third run is the first that failed; the plain run that
// failed is none of them, and a line that was cut off is not counted.
func TestTallies(t *testing.T) {
	log := `{"fdebug_experiments":1,"package":"example.com/m/late"}
{"test":"TestX","step":"plain","outcome":{"Failed":true}}
{"test":"TestX","step":"stalls","outcome":{}}
{"test":"TestX","step":"again","outcome":{"Failed":true}}
{"test":"TestX","step":"stalls","outcome":{}}
{"test":"TestX/sub","step":"stalls","outcome":{"Failed":true}}
{"test":"TestX","step":"stalls","outcome":{"Fai`
	w := way{steps: []string{"stalls"}}
	all := make(map[string]*tally)
	if err := readTallies([]byte(log), w, all); err != nil {
		t.Fatal(err)
	}
	x := all["late.TestX"]
	if x == nil || *x != (tally{runs: 3, failed: 1, first: 3, all: 5, after: "stalls"}) {
		t.Fatalf("%+v", x)
	}
	for _, c := range []struct {
		found *proof.Proof
		want  string
	}{
		{nil, "(1 of 3)"},
		{&proof.Proof{Verdict: proof.Proved}, "3*"},
		{&proof.Proof{Verdict: proof.Reproduced}, "3+"},
	} {
		if x.found = c.found; x.cell(w) != c.want {
			t.Errorf("%+v: %q, want %q", c.found, x.cell(w), c.want)
		}
	}
	if got := (&tally{runs: 20}).cell(w); got != "0 of 20" {
		t.Errorf("%q, want 0 of 20", got)
	}
}

// A data race says nothing of what fails.
func TestBest(t *testing.T) {
	list := []*proof.Proof{{Decides: []string{"race"}, Verdict: proof.Reproduced}, {Plan: proof.Named("yield"), Verdict: proof.Reproduced}, {Plan: proof.Named("stall"), Verdict: proof.Proved}}
	if f := best(list); f != list[2] {
		t.Errorf("%+v, want the one that is proved", f)
	}
	if f := best(list[:1]); f != nil {
		t.Errorf("%+v, want none", f)
	}
}
