package report

import (
	"regexp"
	"strings"
	"unicode/utf8"
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

var (
	wantAtEnd = regexp.MustCompile(`(?s)^(?:[\w.-]+\.go:\d+: )?(.+?)[,;] ?(?:but )?(?:want|wanted|expected) (.+)$`)
	gotAtEnd  = regexp.MustCompile(`(?s)^(?:[\w.-]+\.go:\d+: )?(?:.*?)(?:want|expected)(?: |: ?)(.+?)[,;] ?(?:but )?(?:got|have|actual)(?: |: ?)(.+)$`)
	testify   = regexp.MustCompile(`(?s)expected\s*: (.+?)\n\s*actual\s*: (.+?)(?:\n|$)`)
	gomega    = regexp.MustCompile(`(?s)^Expected\s+(<.+?)\s+to (?:equal|be equivalent to)\s+(<.+)$`)
	wantBelow = regexp.MustCompile(`(?s)^[^\n]*:\s*\n(.+?)\n\s*want:?[ \t]*\n(.+)$`)
	gotAfter  = regexp.MustCompile(`(?s)^.*(?: = |\bgot:? |\breturned |: )(.+)$`)
)

// parseGotWant finds what was got and what was wanted in a message, nil if they can't be
// told apart or have nothing in common: then a diff says no more than the message.
func parseGotWant(message string) *gotWant {
	message = strings.TrimSpace(message)
	message = address.ReplaceAllString(message, "0x…")
	var got, want string
	labels := [2]string{"got", "want"}
	if m := testify.FindStringSubmatch(message); m != nil {
		want, got = m[1], m[2]
		labels = [2]string{"actual", "expected"}
	} else if m := gomega.FindStringSubmatch(message); m != nil {
		got, want = m[1], m[2]
	} else if m := wantBelow.FindStringSubmatch(message); m != nil {
		got, want = m[1], m[2]
	} else if m := gotAtEnd.FindStringSubmatch(message); m != nil {
		want, got = m[1], m[2]
	} else if m := wantAtEnd.FindStringSubmatch(message); m != nil {
		got, want = m[1], m[2]
		if x := gotAfter.FindStringSubmatch(got); x != nil {
			got = x[1]
		}
	}
	g := newGotWant(got, want)
	if g != nil {
		g.GotLabel, g.WantLabel = labels[0], labels[1]
	}
	return g
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
	g, n := &gotWant{}, commonPrefix(got, want)
	g.Before, got, want = got[:n], got[n:], want[n:]
	k := commonSuffix(got, want)
	g.After, g.Got, g.Want = got[len(got)-k:], got[:len(got)-k], want[:len(want)-k]
	if utf8.RuneCountInString(g.Before)+utf8.RuneCountInString(g.After) < leastShared {
		return nil
	}
	return g
}

// commonPrefix returns how many bytes a and b begin with in common, whole characters.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) {
		r, size := utf8.DecodeRuneInString(a[n:])
		if q, _ := utf8.DecodeRuneInString(b[n:]); q != r {
			break
		}
		n += size
	}
	return n
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
