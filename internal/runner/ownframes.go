package runner

import (
	"regexp"
	"strings"
)

// ownFrame is the first line of a stack frame of a function that only fdebug has: in
// packages of its own, or added to some of the standard library.
var ownFrame = regexp.MustCompile(`^ *(?:created by )?(?:(?:[^ ]*/)?(?:fdebugrt|fdebugval)\.|(?:runtime|time|testing|sync|internal/[a-z/]+)\.(?:\(\*?)?[fF]debug)`)

// withoutOwnFrames leaves out of a text the stack frames of the recorder, which a
// user has not written and can do nothing about: two lines each, as in a goroutine
// dump or a race report.
func withoutOwnFrames(text string) string {
	if !strings.Contains(text, "fdebug") && !strings.Contains(text, "Fdebug") {
		return text
	}
	var b strings.Builder
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		if i+1 < len(lines) && isOwnFrame(lines[i], lines[i+1]) {
			i++
			continue
		}
		b.WriteString(lines[i])
	}
	return b.String()
}

func isOwnFrame(name, at string) bool {
	if !ownFrame.MatchString(name) {
		return false
	}
	_, _, ok := stackPosition(strings.TrimRight(at, "\n"))
	return ok
}
