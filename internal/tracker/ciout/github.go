package ciout

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// maxAnnotations is how many of a kind GitHub shows of one step.
const maxAnnotations = 10

// Annotations writes workflow commands that make GitHub show what was found beside the
// code: errors for what is proved, warnings for the rest. What has an annotation gets no other. It returns how many are
// left out.
func (r *Report) Annotations(w io.Writer) (left int, err error) {
	clean := r.cleaner()
	list := r.findings()
	for i, f := range list {
		if i == maxAnnotations {
			return len(list) - i, nil
		}
		if slices.Contains(r.annotated, f.Case) {
			continue
		}
		level, at := "warning", ""
		switch {
		case f.cause.Proved:
			level = "error"
		case f.state() == finding.Recorder:
			level = "notice"
		}
		if f.cause.File != "" {
			at = fmt.Sprintf("file=%s,line=%d,",
				escapeProperty(clean.line(r.inWorkspace(f.cause.File), maxName)), f.cause.Line)
		}
		title := clean.line(f.name(), 100) + " is " + clean.line(f.said(), 100)
		text := clean.line(f.cause.Said, maxMessage)
		if f.Test != nil && len(f.Test.Failures) > 0 {
			text += "\n" + clean.line("Failed: "+f.Test.Failures[0].Message, 300)
		}
		if _, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, at, escapeProperty(title),
			escapeData(text)); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// escapeData and escapeProperty escape as GitHub's toolkit does.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// A guard passes lines on such that none of them is a workflow command: what tests
// print must not be one.
type guard struct {
	w    io.Writer
	part []byte // of a line that has no end yet
}

// Guard returns a writer for text that may hold names and messages of tests, to be read
// by GitHub's runner. Whole lines are passed on.
func Guard(w io.Writer) io.Writer { return &guard{w: w} }

func (g *guard) Write(p []byte) (int, error) {
	g.part = append(g.part, p...)
	i := bytes.LastIndexByte(g.part, '\n') + 1
	lines := bytes.SplitAfter(g.part[:i], []byte("\n"))
	g.part = bytes.Clone(g.part[i:])
	for _, line := range lines {
		if _, err := g.w.Write(disarm(line)); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// disarm changes a line that the runner would take for a command: one that begins with
// "::", whatever space is before, or has "##[" in it.
func disarm(line []byte) []byte {
	if bytes.HasPrefix(bytes.TrimSpace(line), []byte("::")) {
		line = bytes.Replace(line, []byte("::"), []byte(": :"), 1)
	}
	return bytes.ReplaceAll(line, []byte("##["), []byte("## ["))
}
