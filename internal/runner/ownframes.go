package runner

import (
	"regexp"
	"strings"
)

// ownFrame is the first line of a stack frame in code that only fdebug has: its own packages, or
// its additions to the standard library.
var ownFrame = regexp.MustCompile(
	`^ *(?:created by )?(?:(?:[^ ]*/)?(?:fdebugrt|fdebugval)\.|(?:runtime|time|testing|sync|internal/[a-z/]+)\.(?:\(\*?)?(?:[fF]debug|heapBits\.nextArena))`)

// withoutOwnFrames removes the stack frames of the recorder from a text, because the user did not
// write them: two lines each, as in a goroutine dump or a race report.
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
