package ciout

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/report"
)

const (
	// MaxComment is how large a comment on GitHub may be, in characters.
	MaxComment = 65536
	// MaxStepSummary is how large the summary of a step may be, in bytes.
	MaxStepSummary = 1 << 20
)

// marker begins a summary, for whoever looks for the comment that it is.
const marker = "<!-- fdebug -->\n"

// leftOut ends a summary that was cut.
const leftOut = "\n*This text was cut: %d of %d reports did not fit. All of them are beside the HTML pages.*\n"

// maxMisfits is how many reports may be too long before those after them are not tried.
const maxMisfits = 3

// Summary writes what was found as Markdown of at most limit bytes: a table, and below
// it the report of each test as long as there is room.
func (r *Report) Summary(w io.Writer, limit int) error {
	clean := r.cleaner()
	list := r.findings()
	var b strings.Builder
	b.WriteString(marker + "## fdebug: " + r.headline() + "\n")
	if len(list) == 0 && r.Nothing != "" {
		b.WriteString("\n" + say.Escape(clean.line(r.Nothing, maxMessage)) + "\n")
	}
	for _, s := range r.Suites {
		if s.Err != "" && b.Len() < limit/4 {
			fmt.Fprintf(&b, "\n- %s could not be tested\n", code(clean.line(s.Package, 300)))
		}
	}
	limit -= len(leftOut) + 20
	table(&b, list, clean, limit/2)
	left := 0
	for _, f := range list {
		if f.Test == nil {
			continue
		}
		if left >= maxMisfits { // no need to make what will not fit either
			left++
			continue
		}
		part, err := r.folded(f, clean)
		if err != nil {
			return err
		}
		if b.Len()+len(part) > limit {
			left++
			continue
		}
		b.WriteString(part)
	}
	if left > 0 {
		fmt.Fprintf(&b, leftOut, left, len(list))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// headline counts what was found: "1 test is flaky, 2 always fail (of 14)".
func (r *Report) headline() string {
	counts, tests := make(map[finding.State]int), 0
	broken := 0
	for _, s := range r.Suites {
		tests += len(s.Cases)
		if s.Err != "" {
			broken++
		}
		for _, c := range s.Cases {
			counts[c.state()]++
		}
	}
	var parts []string
	add := func(n int, one, more string) {
		if n == 1 {
			parts = append(parts, "1 "+one)
		} else if n > 1 {
			parts = append(parts, fmt.Sprintf("%d %s", n, more))
		}
	}
	add(counts[finding.Flaky], "test is flaky", "tests are flaky")
	add(counts[finding.Failing], "test always fails", "tests always fail")
	add(counts[finding.Provoked], "test can be made to fail", "tests can be made to fail")
	add(counts[finding.OnlySeen], "test failed in experiments", "tests failed in experiments")
	add(counts[finding.Recorder], "test fails only with the recorder", "tests fail only with the recorder")
	if len(parts) == 0 {
		parts = append(parts, "nothing found")
	}
	add(broken, "package could not be tested", "packages could not be tested")
	return strings.Join(parts, ", ") + fmt.Sprintf(" (%s)", text.Plural(tests, "test"))
}

// table writes a row for each test, as long as there is room.
func table(b *strings.Builder, list []found, clean *cleaner, limit int) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n| test | runs | cause at | cause |\n|---|---|---|---|\n")
	for i, f := range list {
		place := ""
		if f.cause.File != "" {
			place = code(clean.line(f.cause.Place(), 300))
		}
		row := fmt.Sprintf("| %s in %s | %s | %s | %s |\n", code(clean.line(f.name(), 200)),
			code(clean.line(f.Package, 200)),
			say.Escape(clean.line(f.said(), 200)), place, say.Escape(clean.line(f.cause.Said, 500)))
		if b.Len()+len(row) > limit {
			fmt.Fprintf(b, "| *%d more* | | | |\n", len(list)-i)
			break
		}
		b.WriteString(row)
	}
	b.WriteString("\n")
}

// code returns s as code that means itself in a table: there a code span ends at a bar.
func code(s string) string {
	return "<code>" + strings.ReplaceAll(html.EscapeString(s), "|", "&#124;") + "</code>"
}

// folded is the report of a test below its name.
func (r *Report) folded(f found, clean *cleaner) (string, error) {
	var b strings.Builder
	if err := report.Markdown(&b, r.Result, f.Test); err != nil {
		return "", err
	}
	name := code(clean.line(f.name(), 200))
	return fmt.Sprintf("<details><summary>%s</summary>\n\n%s\n</details>\n\n", name, clean.secrets.Hide(b.String())),
		nil
}
