// Package race reads the reports of Go's race detector.
//
// A report says that nothing ordered two accesses to the same memory in that run, and
// that at least one of them was a write. The detector reports only what happened. So each
// report is a real race, whether or not the run failed.
package race

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// Warning is how a report begins.
const Warning = "WARNING: DATA RACE"

// An Access is one side of a race.
type Access struct {
	Write bool
	Stack []trace.Frame // innermost first
	// Started is the stack of the go statement that started the goroutine, innermost first; nil
	// for the main goroutine, or if the detector has lost it.
	Started []trace.Frame
}

// A Report has the two accesses, the later one first.
type Report struct{ Accesses [2]Access }

var (
	accessHead = regexp.MustCompile(
		`(?im)^(?:previous )?(?:atomic )?(read|write) at 0x[0-9a-f]+ by (main goroutine|goroutine (\d+))`)
	startedHead = regexp.MustCompile(`(?m)^Goroutine (\d+) \([^)\n]*\) created at:`)
	position    = regexp.MustCompile(`(?m)^ {2}(\S.*)\n {6}(.+):(\d+)(?: \+0x[0-9a-f]+)?$`)
)

// Parse reads a report. ok is false unless it has two accesses with stacks. If the report was
// cut, or the detector has lost stacks, Parse returns the rest.
func Parse(text string) (r Report, ok bool) {
	i := strings.Index(text, Warning)
	if i < 0 {
		return r, false
	}
	text = strings.ReplaceAll(text[i:], "\r\n", "\n")
	var goroutines []string
	started := make(map[string][]trace.Frame)
	n := 0
	for _, section := range strings.Split(text, "\n\n") {
		if m := startedHead.FindStringSubmatch(section); m != nil {
			started[m[1]] = frames(section)
			continue
		}
		m := accessHead.FindStringSubmatch(section)
		if m == nil || n == 2 {
			continue
		}
		r.Accesses[n] = Access{Write: strings.EqualFold(m[1], "write"), Stack: frames(section)}
		goroutines = append(goroutines, m[3])
		n++
	}
	for k, g := range goroutines {
		r.Accesses[k].Started = started[g]
	}
	return r, n == 2 && len(r.Accesses[0].Stack) > 0 && len(r.Accesses[1].Stack) > 0
}

// frames returns the stack of a section.
func frames(section string) []trace.Frame {
	var out []trace.Frame
	for _, m := range position.FindAllStringSubmatch(section, -1) {
		line, err := strconv.Atoi(m[3])
		if err != nil {
			continue
		}
		name := m[1]
		if k := strings.LastIndexByte(name, '('); k > 0 && strings.HasSuffix(name, ")") {
			name = name[:k]
		}
		out = append(out, trace.Frame{Func: name, File: m[2], Line: line})
	}
	return out
}

// Mentions reports whether a test's function, or a function literal in it, is on one of the
// stacks.
func (r *Report) Mentions(test string) bool {
	top, _, _ := strings.Cut(test, "/")
	for i := range r.Accesses {
		if a := &r.Accesses[i]; InTest(top, a.Stack) || InTest(top, a.Started) {
			return true
		}
	}
	return false
}

// InTest reports whether a top-level test's function, or a function literal in it, is on a stack.
func InTest(test string, stack []trace.Frame) bool {
	return test != "" && slices.ContainsFunc(stack, func(f trace.Frame) bool {
		_, name, _ := strings.Cut(f.Func[strings.LastIndexByte(f.Func, '/')+1:], ".")
		return name == test || strings.HasPrefix(name, test+".")
	})
}
