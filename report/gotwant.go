package report

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/text"
)

// A gotWant is what a failed check got and what it wanted, cut where they differ.
type gotWant struct {
	Before    string // that both begin with
	Got, Want string // where they differ
	After     string // that both end with
	// Labels of the two: those of the message, where it has "expected" and "actual",
	// since the values stand there as the check was given them, in whatever order.
	GotLabel, WantLabel string
}

// address is where something lies in memory, which differs from run to run.
var address = regexp.MustCompile(`\b0x[0-9a-f]{6,}\b`)

// shapes are how messages say what was got and what was wanted: those of testify, quicktest, gocheck, gomega
// and gotest.tools, and then as people word them. The first that matches counts. Its groups are named as the
// message names the two.
var shapes = []*regexp.Regexp{
	regexp.MustCompile(`(?s)expected\s*: (?P<expected>.+?)\n\s*actual\s*: (?P<actual>.+?)(?:\n|$)`),
	regexp.MustCompile(`(?s)\ngot:\n(?P<got>.+?)\nwant:\n(?P<want>.+?)(?:\nstack:.*)?$`),
	regexp.MustCompile(
		`(?s)\.\.\. obtained [^\n=]*= (?P<obtained>.+?)\n\.\.\. expected [^\n=]*= (?P<expected>.+?)(?:\n|$)`),
	regexp.MustCompile(`(?s)^Expected\s+(?P<got><.+?)\s+to (?:equal|be equivalent to)\s+(?P<want><.+)$`),
	regexp.MustCompile(
		`(?s)^assertion failed: (?P<got>.+) \([^()]*(?:\(\)[^()]*)*\) != (?P<want>.+) \([^()]*(?:\(\)[^()]*)*\)$`),
	regexp.MustCompile(`(?s)^[^\n]*:\s*\n(?P<got>.+?)\n\s*want:?[ \t]*\n(?P<want>.+)$`),
	regexp.MustCompile(`(?s)^(?:[\w.-]+\.go:\d+: )?(?:.*?)(?:want|expected)(?: |: ?)(?P<want>.+?)[,;] ?(?:but )?(?:got|have|actual)(?: |: ?)(?P<got>.+)$`),
	regexp.MustCompile(`(?s)^(?:[\w.-]+\.go:\d+: )?(?:.*(?: = |\bgot:? |\breturned |\b(?:is|are|was|were) |: ))?(?P<got>.+?)[,;] ?(?:but )?(?:want|wanted|expected) (?P<want>.+)$`),
}

// parseGotWant finds what was got and what was wanted in a message, nil if they can't be
// told apart or have nothing in common: then a diff says no more than the message.
func parseGotWant(message string) *gotWant {
	message, _, _ = strings.Cut(message, "\nthen ") // what followed
	message = address.ReplaceAllString(strings.TrimSpace(message), "0x…")
	for _, shape := range shapes {
		m := shape.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		names := shape.SubexpNames()
		got, want := 1, 2
		if names[1] == "want" || names[1] == "expected" {
			got, want = 2, 1
		}
		g := newGotWant(m[got], m[want])
		if g != nil {
			g.GotLabel, g.WantLabel = names[got], names[want]
		}
		return g
	}
	return nil
}

// cut returns both sides around where they differ, in one line.
func (g *gotWant) cut() string {
	before := []rune(g.Before)
	if n := len(before) - 12; n > 0 {
		before = append([]rune("…"), before[n:]...)
	}
	side := func(s string) string { return text.Line(string(before)+s+g.After, 38) }
	return g.GotLabel + " " + side(g.Got) + ", " + g.WantLabel + " " + side(g.Want)
}

const (
	leastShared = 2    // characters that got and want must share
	mostCompare = 2000 // characters of either
)

func newGotWant(got, want string) *gotWant {
	got, want = strings.TrimSpace(got), strings.TrimSpace(want)
	if got == "" || want == "" || got == want || len(got)+len(want) > 2*mostCompare {
		return nil
	}
	g, n := &gotWant{}, text.CommonPrefix(got, want)
	g.Before, got, want = got[:n], got[n:], want[n:]
	k := commonSuffix(got, want)
	g.After, g.Got, g.Want = got[len(got)-k:], got[:len(got)-k], want[:len(want)-k]
	if utf8.RuneCountInString(g.Before)+utf8.RuneCountInString(g.After) < leastShared {
		return nil
	}
	return g
}

func commonSuffix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) {
		r, size := utf8.DecodeLastRuneInString(a[:len(a)-n])
		if q, _ := utf8.DecodeLastRuneInString(b[:len(b)-n]); q != r {
			break
		}
		n += size
	}
	return n
}
