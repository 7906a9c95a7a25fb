package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
)

// openLines is how many lines of Markdown are not folded, those of code blocks included.
func openLines(md string) (n int) {
	depth, fence := 0, ""
	for _, line := range strings.Split(strings.TrimRight(md, "\n"), "\n") {
		switch {
		case fence == "" && strings.HasPrefix(line, "<details>"):
			depth++
		case fence == "" && strings.HasPrefix(line, "</details>"):
			depth--
			continue
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
		case fence != "" && line == fence:
			fence = ""
		}
		if depth == 0 && strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n
}

// TestMarkdownOpen counts what stands open: at most 40 lines, however long the message
// and the window are, and the answer is in it.
func TestMarkdownOpen(t *testing.T) {
	f := newFixture(t)
	long := f.queue()
	long.Failures[0].Message = strings.Repeat("```\n<details>\nline\n", 40)
	verdicttest.SetWindow(&long.Verdicts[0], finding.Span{File: "queue/queue.go", Start: 14, End: 14}, finding.Span{File: "queue/queue.go", Start: 37, End: 37})
	evil, test := hostile(t)
	tests := []*finding.Test{f.queue(), f.rng(), f.keys(), f.hang(), f.always()}
	r := f.result(tests...)
	for i, x := range append(tests, long, test) {
		var b bytes.Buffer
		switch x {
		case long:
			r = f.result(long)
		case test:
			r = evil
		}
		if err := Markdown(&b, r, x); err != nil {
			t.Fatal(err)
		}
		if n := openLines(b.String()); n > 40 {
			t.Errorf("%.20s: %d lines stand open", x.Name, n)
		}
		short := openPart(b.String())
		if n := openLines(short); n < 3 || n > 40 || strings.Count(short, "\n<details><summary>") > 0 {
			t.Errorf("%.20s: the open part has %d lines:\n%s", x.Name, n, short)
		}
		if i == 0 {
			for _, want := range []string{"async wait · proved", "delayed here: **20 of 20**", "! queue.go:37  q.done.Store(true)    <- delayed here", "fdebug replay TestDrain", "not drained in time"} {
				if !strings.Contains(short, want) {
					t.Errorf("the open part does not say %q:\n%s", want, short)
				}
			}
		}
	}
}

// openPart returns the part that stands open in the Markdown of a test: up to the first part that
// is folded.
func openPart(text string) string {
	fence := ""
	at := 0
	for line := range strings.Lines(text) {
		switch s := strings.TrimRight(line, "\n"); {
		case fence != "":
			if s == fence {
				fence = ""
			}
		case strings.HasPrefix(s, "```"):
			fence = s[:len(s)-len(strings.TrimLeft(s, "`"))]
		case strings.HasPrefix(s, "<details>"):
			return strings.TrimRight(text[:at], "\n") + "\n"
		}
		at += len(line)
	}
	return text
}
