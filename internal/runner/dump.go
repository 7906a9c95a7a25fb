package runner

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/trace"
)

// dumped explains a test during which the process died with a dump.
func (e *explainer) dumped(o *Outcome) finding {
	d := e.parsed(o.Dump)
	gs, words := d.goroutines, d.words
	deadlock := asleep(words)
	switch {
	case o.Status == Timeout || deadlock:
		f := finding{message: "timed out,"}
		if deadlock {
			f.message = words
		}
		g := e.blocked(gs, o.Test)
		if g == nil {
			f.message = strings.TrimSuffix(f.message, ",")
			return f
		}
		f.frame, _ = e.scope.first(g.Frames)
		f.message += " blocked in " + g.State
		return f
	case len(gs) > 0:
		frames := append(slices.Clip(gs[0].Frames), gs[0].Creator)
		f := finding{message: words}
		f.frame, _ = e.scope.first(frames)
		return f
	}
	return finding{message: words}
}

// A parsedDump is the text that a process ended with. All tests that it died in share it.
type parsedDump struct {
	text       string
	goroutines []Dumped
	words      string // the runtime's message, without the stacks
}

const (
	maxWords     = 8 << 10 // of lastWords
	maxDumps     = 16      // outcomes of a run that keep the whole dump
	maxShortDump = 4 << 10 // how much of it the others keep
)

// parsed returns a dump, parsed once for all tests that the process died in.
func (e *explainer) parsed(text string) *parsedDump {
	if e.dump == nil || e.dump.text != text {
		words := lastWords(text)
		if len(words) > maxWords {
			words = strings.ToValidUTF8(words[:maxWords], "")
		}
		e.dump = &parsedDump{text: text, goroutines: ParseDump(text), words: words}
	}
	return e.dump
}

// shortenDumps cuts the dump that all tests share in which a process died, except in the first of
// them: a thousand parallel subtests must not store a thousand dumps.
func shortenDumps(run *Run) {
	n := 0
	for _, o := range run.Outcomes {
		if o.Dump == "" {
			continue
		}
		if n++; n > maxDumps && len(o.Dump) > maxShortDump {
			o.Dump = strings.ToValidUTF8(o.Dump[:maxShortDump], "") +
				"\n[... the rest is kept with the first tests of this run ...]\n"
		}
	}
}

// blocked returns the goroutine on which the test's function waits. The goroutine of a parent
// waits for it in T.Run. A dump does not name a subtest, only its function, which is a literal in
// that of the top-level test.
func (e *explainer) blocked(gs []Dumped, test string) *Dumped {
	var any *Dumped
	for i := range gs {
		g := &gs[i]
		if _, ok := e.scope.first(g.Frames); !ok || g.calls("testing.(*T).Run") {
			continue
		}
		if g.calls("testing.tRunner") && g.mentions(trace.TopTest(test)) ||
			ginkgo.SuiteOf(test) != "" && g.Creator.Func == ginkgo.Starter {
			return g
		}
		if any == nil && g.calls("testing.tRunner") {
			any = g // the test's function is in a table, or was made elsewhere
		}
	}
	return any
}

var recovered = regexp.MustCompile(` \[recovered(?:, repanicked)?\]`)

// lastWords returns the runtime's message when the process died, without the stacks. A panic that
// package testing repeated appears once.
func lastWords(dump string) string {
	for _, end := range []string{"\n\ngoroutine ", "\n[signal ", "\ngoroutine ", "\nPC=", "\nruntime: sp=",
		"\nruntime stack:"} {
		if i := strings.Index(dump, end); i >= 0 {
			dump = dump[:i]
		}
	}
	var lines []string
	said := make(map[string]bool)
	for line := range strings.Lines(dump) {
		line = strings.TrimSpace(recovered.ReplaceAllString(line, ""))
		if line != "" && !said[line] {
			said[line] = true
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// raceReport returns the first race report in a text, or "" if there is none.
func raceReport(output string) string {
	i := strings.Index(output, race.Warning)
	if i < 0 {
		return ""
	}
	report, _, _ := strings.Cut(output[i:], "\n"+string(raceFence))
	return report
}

// dataRace begins the message of a signature of a race.
const dataRace = "data race"

// raced explains a test during which the race detector reported a race. Which of the two accesses
// comes first is luck, so the signature has them sorted.
func (e *explainer) raced(report string) finding {
	var at []trace.Frame
	r, _ := race.Parse(report) // a report that was cut is used as far as it goes
	for _, a := range r.Accesses {
		if f, ok := e.scope.first(a.Stack); ok {
			at = append(at, f)
		}
	}
	slices.SortFunc(at, func(a, b trace.Frame) int {
		return strings.Compare(positionOf(a), positionOf(b))
	})
	f := finding{message: strings.TrimSpace(report), headline: dataRace}
	for i, a := range at {
		f.headline += []string{": ", " and "}[min(i, 1)] + a.Func
	}
	if len(at) > 0 {
		f.frame = at[0]
	}
	return f
}

func positionOf(f trace.Frame) string { return Signature{Frame: f}.Place() }
