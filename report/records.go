package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/text"
)

// A recordView is what some runs printed and where they went.
type recordView struct {
	N      int
	Class  string // "pass" or "fail" of the first of the runs
	Runs   string // "runs 3, 7, 12 failed"
	Output string
	Paths  []pathView
}

type pathView struct {
	Who   string
	Steps []string
}

// records returns the output and the paths of runs, those of failing runs first.
func (v *viewer) records(runs []finding.Run) []recordView {
	var out []recordView
	for i := range v.t.Records {
		r := &v.t.Records[i]
		// What was cut says how much of it is left out, which a second cut would not know.
		w := recordView{N: i + 1, Output: v.long(r.Output,
			2<<10+len("\n[... 12345678 bytes left out here ...]\n"), 2<<10)}
		w.Class, w.Runs = v.runsOf(i+1, runs)
		for k := range r.Paths {
			w.Paths = append(w.Paths, v.pathView(&r.Paths[k]))
		}
		if r.Others > 0 {
			w.Paths = append(w.Paths, pathView{Who: "… and " + plural(r.Others, "more goroutine") + " left out"})
		}
		out = append(out, w)
	}
	return out
}

// recordsOf says which runs have records, and whether there are some of either outcome.
func recordsOf(runs []finding.Run) (title string, comparable bool) {
	kept, failed, passed := 0, false, false
	for _, r := range runs {
		if r.Record > 0 {
			kept++
			failed, passed = failed || r.Status.Failing(), passed || r.Status == finding.Passed
		}
	}
	title = "Output and path of each run"
	if kept < len(runs) {
		title = fmt.Sprintf("Output and path of %d of %s", kept, plural(len(runs), "run"))
	}
	return title, failed && passed
}

// runsOf names the runs with a record, and says what became of them.
func (v *viewer) runsOf(record int, runs []finding.Run) (class, text string) {
	var list []int
	word := ""
	for _, r := range runs {
		if r.Record == record {
			if class == "" {
				class, _, word = look(r)
			}
			list = append(list, r.N)
		}
	}
	if len(list) == 1 {
		return class, fmt.Sprintf("run %d %s", list[0], word)
	}
	return class, fmt.Sprintf("runs %s %s", v.runList(list), word)
}

func (v *viewer) pathView(p *finding.Path) pathView {
	w := pathView{Who: "test"}
	if p.Started.File != "" {
		at := v.framePlace(p.Started)
		w.Who = "goroutine started at " + v.placeName(at)
	}
	for i := range p.Steps {
		for _, c := range p.Cuts {
			if i == c.After {
				w.Steps = append(w.Steps, "… "+say.Thousands(int64(c.Steps))+" more left out")
			}
		}
		w.Steps = append(w.Steps, v.pathStep(&p.Steps[i]))
	}
	if p.More > 0 {
		w.Steps = append(w.Steps, "… then "+plural(int(p.More), "step")+" more, left out")
	}
	return w
}

func (v *viewer) pathStep(s *finding.PathStep) string {
	var lines []string
	for _, l := range s.Lines {
		text := fmt.Sprint(l.Start)
		if l.End > l.Start {
			text += fmt.Sprintf("–%d", l.End)
		}
		lines = append(lines, text)
	}
	p := v.clean.Line(s.Func, 80)
	if len(s.Lines) > 0 {
		p += " " + v.fileName(s.Lines[0].File) + ":" + strings.Join(lines, ", ")
	}
	if s.Times > 1 {
		p += fmt.Sprintf(" ×%d", s.Times)
	}
	return p
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

// An earlierRow is what became of the test in the runs of one command before.
type earlierRow struct{ Started, Failed, Commit string }

// earlier returns the earlier outcomes of the test, the newest first.
func (v *viewer) earlier(t *finding.Test) (rows []earlierRow) {
	for _, s := range t.Earlier.Newest {
		r := earlierRow{
			Started: s.Started.UTC().Format("2006-01-02 15:04 UTC"),
			Failed:  fmt.Sprintf("%d of %d", s.Failed, s.Failed+s.Passed),
			Commit:  cmp.Or(v.clean.Line(s.Commit[:min(len(s.Commit), 12)], 12), "unknown"),
		}
		if s.Modified && s.Commit != "" {
			r.Commit += " and changes"
		}
		if s.Imported {
			r.Commit += ", imported"
		}
		rows = append(rows, r)
	}
	return rows
}
