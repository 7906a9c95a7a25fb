package tracker

import (
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// maxIssue is the size limit of GitHub for the body of an issue, in bytes.
const maxIssue = 65_536

// issueMark lets a script find the issue again.
const issueMark = "<!-- fdebug history -->\n"

// printIssue prints one Markdown body of at most maxIssue bytes. Tests without room are only
// counted.
func (j *History) printIssue() error {
	_, err := fmt.Fprint(j.Stdout, j.issueBody(maxIssue))
	return err
}

func (j *History) issueBody(limit int) string {
	head := issueMark + fmt.Sprintf("## Flaky tests, %s\n\n%s.\n\n", j.tally.Newest.Format(time.DateOnly), j.extent())
	foot := "\nRates are of now, with 95 % intervals: recent runs weigh more. `fdebug history` makes this table, " +
		"`fdebug run -flaky` looks for the causes.\n"
	more := "\nAnd %d more.\n"
	left := limit - len(head) - len(foot) - len(more) - 20
	if len(j.list) == 0 {
		return head + "None.\n" + foot
	}
	table, n := j.issueTable(left * 2 / 3)
	left -= len(table)
	details := ""
	for i := range j.list[:n] {
		d := j.issueDetails(&j.list[i])
		if len(d) > left {
			break
		}
		details += d
		left -= len(d)
	}
	if n < len(j.list) {
		table += fmt.Sprintf(more, len(j.list)-n)
	}
	return head + table + details + foot
}

// issueTable makes as many lines of the table as there is room for.
func (j *History) issueTable(room int) (table string, n int) {
	table = "| test | fails | 95 % | runs | a week | since | last | state | trend |\n" +
		"|---|---|---|---|---|---|---|---|---|\n"
	for i := range j.list {
		r := &j.list[i]
		line := fmt.Sprintf("| %s | %s | %s | %d of %d | %s | %s | %s | %s | %s |\n",
			say.MarkdownCell(text.Line(issueTitle(r), 200)), history.Rate(&r.Score), history.Interval(&r.Score),
			r.Score.Failed, r.Score.Runs, history.PerWeek(r.Impact), j.issueCommit(r.Score.Since.Commit),
			history.FromMinute(r.Score.Last).Format(time.DateOnly), r.State, j.spark(r.Points))
		if len(table)+len(line) > room {
			return table, i
		}
		table += line
	}
	return table, len(j.list)
}

// issueTitle names a test with the last part of its package.
func issueTitle(r *history.Ranked) string {
	pkg := r.Package[strings.LastIndexByte(r.Package, '/')+1:]
	if r.Name == "" {
		return pkg
	}
	return pkg + "." + r.Name
}

// issueCommit names a commit so that GitHub links it.
func (j *History) issueCommit(i int32) string {
	if name := j.tally.Short(i); name == "?" || strings.Trim(name, "0123456789abcdef") != "" {
		return "?"
	}
	return j.tally.Commits[i].Hash[:min(12, len(j.tally.Commits[i].Hash))]
}

// issueDetails says more about one test, folded.
func (j *History) issueDetails(r *history.Ranked) string {
	const maxSignatures = 5
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n\n",
		htmlText(text.Clip(issueTitle(r), 200)), code(r.Package, 200))
	for _, line := range j.tally.Sentences(r) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	for i, s := range r.Signatures {
		if i == maxSignatures {
			fmt.Fprintf(&b, "- and %d other failures\n", len(r.Signatures)-i)
			break
		}
		said := code(history.OneLine(s.Message, s.Text), 300)
		fmt.Fprintf(&b, "- %s: %s\n", text.Plural(s.Failures, "failure"), said)
	}
	for _, v := range r.Verdicts {
		fmt.Fprintf(&b, "- experiment: %s by %s%s\n", v.Class, code(v.Kind, 200), at(code(v.Place, 200)))
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// code formats s as code.
func code(s string, most int) string { return say.MarkdownCode(text.Line(s, most)) }

// htmlText formats s as text in HTML in which Markdown finds nothing either.
func htmlText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == ' ' || r == '.') {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
