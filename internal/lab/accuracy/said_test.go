package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/report"
)

// TestSaid renders what is said of all recorded runs through the catalogue, for a reader who
// looks for a sentence that is not true, and for cases that have none.
func TestSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses all recorded runs")
	}
	r := &replay{root: root}
	var b strings.Builder
	for _, p := range truth(t) {
		rec, done, err := r.open(p)
		if err != nil {
			continue // TestRecorded says which are missing
		}
		for _, test := range rec.Result.Tests {
			fmt.Fprintf(&b, "== %s\n", p.name)
			for _, line := range (report.Terminal{Verbose: true}).Lines(rec.Result, test) {
				if !strings.HasPrefix(line, "  reproduce") { // the directory is not here
					fmt.Fprintln(&b, line)
				}
			}
			list := test.Suspects()
			for i := range list[:min(len(list), 5)] {
				s := &list[i]
				fmt.Fprintf(&b, "    %s:%d: %s\n", s.File, s.Start, report.Why(s))
			}
		}
		done()
	}
	if strings.Contains(b.String(), "%!") {
		t.Error("a sentence lacks a value")
	}
	const golden = "testdata/said.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}
