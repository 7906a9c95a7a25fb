package report

import (
	"fmt"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/text"
)

// A recordView is what some runs printed.
type recordView struct {
	N      int
	Runs   string // "runs 3, 7, 12 failed"
	Output string
}

// records returns the output of runs, that of failing runs first.
func (v *viewer) records(runs []finding.Run) []recordView {
	var out []recordView
	for i, output := range v.t.Records {
		// What was cut says how much of it is left out, which a second cut would not know.
		w := recordView{N: i + 1, Output: v.long(output, 2<<10+len("\n[... 12345678 bytes left out here ...]\n"), 2<<10)}
		w.Runs = v.runsOf(i+1, runs)
		out = append(out, w)
	}
	return out
}

// recordsOf says which runs have records.
func recordsOf(runs []finding.Run) string {
	kept := 0
	for _, r := range runs {
		if r.Record > 0 {
			kept++
		}
	}
	if kept < len(runs) {
		return fmt.Sprintf("Output of %d of %s", kept, plural(len(runs), "run"))
	}
	return "Output of each run"
}

// runsOf names the runs with a record, and says what became of them.
func (v *viewer) runsOf(record int, runs []finding.Run) string {
	var list []int
	word := ""
	for _, r := range runs {
		if r.Record == record {
			if word == "" {
				_, _, word = look(r)
			}
			list = append(list, r.N)
		}
	}
	if len(list) == 1 {
		return fmt.Sprintf("run %d %s", list[0], word)
	}
	return fmt.Sprintf("runs %s %s", v.runList(list), word)
}

// A wordingView is what other runs said at the same place.
type wordingView struct{ Text, Runs string }

// wordings are cut so that each is seen to differ from the others, and from the message.
func (v *viewer) wordings(f *finding.Failure) (out []wordingView) {
	said := []string{v.clean.Line(v.said(f, f.Message), longWording)}
	for _, w := range f.Wordings {
		said = append(said, v.clean.Line(v.said(f, w.Text), longWording))
	}
	said = text.Apart(said, 300)
	for i, w := range f.Wordings {
		out = append(out, wordingView{said[i+1], "in " + plural(w.Runs, "run")})
	}
	if n := f.MoreWordings; n > 0 {
		out = append(out, wordingView{"", plural(n, "more wording") + " left out"})
	}
	return out
}

// longWording is how many characters of a message are compared.
const longWording = 8000
