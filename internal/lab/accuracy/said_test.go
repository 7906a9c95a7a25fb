package main

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/report"
)

// saidOf renders what is said of the recorded runs of a program through the catalogue, for a reader who
// looks for a sentence that is not true, and for cases that have none.
func saidOf(p *program, r *finding.Result) string {
	var b strings.Builder
	for _, test := range r.Tests {
		fmt.Fprintf(&b, "== %s\n", p.name)
		for _, line := range (report.Terminal{Verbose: true}).Lines(r, test) {
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
	return b.String()
}
