package runner

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/trace"
)

// crashBegins are the ways in which the runtime begins its last words.
var crashBegins = [][]byte{
	[]byte("panic: "),
	[]byte("fatal error: "),
	[]byte("SIGQUIT: "),
	[]byte("SIGABRT: "),
	[]byte("SIGSEGV: "),
	[]byte("SIGBUS: "),
	[]byte("SIGTERM: "),
	[]byte("runtime: goroutine stack exceeds "),
	[]byte("unexpected fault address "),
	[]byte("runtime: program exceeds "),
	[]byte("panic during panic"),
	[]byte("runtime: out of memory"),
}

// A crashText collects text that may be the last words of a process. A test can also print "panic: "
// and go on, so a new beginning replaces an old one if the test went on in between.
// [crashText.of] decides, after the process has ended, whether it died of this.
type crashText struct {
	text  headTail
	stale bool // a framing line came after the text began
}

// output processes a piece of output; first is set at the beginning of a line.
func (c *crashText) output(b []byte, first bool) {
	begins := first && startsCrash(b)
	if begins && c.stale {
		c.text.reset()
		c.stale = false
	}
	if begins || !c.text.empty() {
		c.text.Write(b)
	}
}

// framed notes that a framing line was read.
func (c *crashText) framed() { c.stale = c.stale || !c.text.empty() }

// of returns the text if a process that ended this way died of it: the runtime exits with status
// 2, or by a signal under GOTRACEBACK=crash.
func (c *crashText) of(exit Exit) string {
	if exit.Code != 2 && exit.Signal == "" && !exit.TimedOut {
		return ""
	}
	return c.text.String()
}

func startsCrash(b []byte) bool {
	return slices.ContainsFunc(crashBegins, func(begin []byte) bool { return bytes.HasPrefix(b, begin) })
}

// asleep reports whether a process died because none of its goroutines could go on.
func asleep(dump string) bool {
	return strings.HasPrefix(dump, "fatal error: all goroutines are asleep")
}

// A Dumped is a goroutine in a dump.
type Dumped struct {
	Number  uint64        // of the goroutine, see trace.Goroutine.Number
	State   string        // "running", "chan receive"
	Frames  []trace.Frame // innermost first
	Creator trace.Frame   // its go statement, zero if none
}

// leaked follows the state of a goroutine that can never go on. The trace notes that, for more of them.
const leaked = " (leaked)"

var goroutineHead = regexp.MustCompile(`(?m)^goroutine (\d+)[^\[\n]*\[([^\],\n]*)([^\]\n]*)\]:\n`)

// ParseDump returns the goroutines of the dump that a process ended with, in a panic or by SIGQUIT.
func ParseDump(text string) []Dumped { return goroutinesIn(text, goroutineHead) }

// leakHead begins a goroutine in the output of package go.uber.org/goleak.
var leakHead = regexp.MustCompile(`Goroutine (\d+) in state ([^,\n]*)(.*), with \S+ on top of the stack:\n`)

// ParseLeaks returns the goroutines that package go.uber.org/goleak found in the output of a test, nil if it
// found none.
func ParseLeaks(output string) []Dumped {
	_, leaks, _ := strings.Cut(output, "found unexpected goroutines:\n")
	return goroutinesIn(leaks, leakHead)
}

// goroutinesIn returns the goroutines in a text. Each section begins with head, which matches its
// number, its state and more words about that.
func goroutinesIn(text string, head *regexp.Regexp) (gs []Dumped) {
	heads := head.FindAllStringSubmatchIndex(text, -1)
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		g := Dumped{State: strings.TrimSuffix(text[h[4]:h[5]], leaked)}
		g.Number, _ = strconv.ParseUint(text[h[2]:h[3]], 10, 64)
		section, _, _ := strings.Cut(text[h[1]:end], "\n\n")
		g.stack(strings.Split(section, "\n"))
		gs = append(gs, g)
	}
	return gs
}

// stack reads the frames of a goroutine, up to its go statement.
func (g *Dumped) stack(lines []string) {
	for i := 0; i+1 < len(lines) && g.Creator.File == ""; i++ {
		file, line, ok := stackPosition(lines[i+1])
		if !ok {
			continue
		}
		name, created := strings.CutPrefix(strings.TrimSpace(lines[i]), "created by ")
		if created {
			name, _, _ = strings.Cut(name, " in goroutine ")
			g.Creator = trace.Frame{Func: name, File: file, Line: line}
		} else {
			g.Frames = append(g.Frames, trace.Frame{Func: funcName(name), File: file, Line: line})
		}
		i++
	}
}

// stackPosition parses the second line of a frame, "\t/a/b.go:12 +0x1d".
func stackPosition(s string) (file string, line int, ok bool) {
	t := strings.TrimLeft(s, "\t ")
	if t == s {
		return "", 0, false
	}
	if i := strings.LastIndex(t, " +0x"); i >= 0 {
		t = t[:i]
	}
	at, ok := position(t)
	return at.File, at.Line, ok
}

// funcName strips the arguments from the first line of a frame. Arguments
// contain no parentheses, but method names do.
func funcName(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '('); i > 0 && strings.HasSuffix(s, ")") {
		return s[:i]
	}
	return s
}

// mentions reports whether the goroutine runs, or was started by, the test
// function of the given top-level test.
func (g *Dumped) mentions(test string) bool {
	return race.InTest(test, g.Frames) || race.InTest(test, []trace.Frame{g.Creator})
}
