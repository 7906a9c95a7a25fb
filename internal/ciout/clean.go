package ciout

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/report"
)

// A cleaner makes text from tests fit to be written.
type cleaner struct {
	text *report.Cleaner
	// secrets replaces what must not be written; in Markdown also as it looks there.
	secrets *strings.Replacer
	left    int // bytes of long texts that the file may still have
}

// maxTexts is how much of messages and output one file has, over all tests.
const maxTexts = 4 << 20

const textsLeftOut = "[left out: this file has too much of such text already]"

// cleaner returns one for a file.
func (r *Report) cleaner() *cleaner {
	c := newCleaner(r.Result.Home, r.Environ)
	if r.texts > 0 {
		c.left = r.texts
	}
	return c
}

func newCleaner(home string, environ []string) *cleaner {
	return &cleaner{text: report.NewCleaner(home), secrets: secretsOf(environ), left: maxTexts}
}

// line returns s as one line of at most max characters.
func (c *cleaner) line(s string, max int) string { return c.text.Line(c.secrets.Replace(s), max) }

// cut returns the beginning and the end of s, as long as there is room for texts.
func (c *cleaner) cut(s string, head, tail int) string {
	if s == "" {
		return ""
	}
	if c.left <= 0 {
		return textsLeftOut
	}
	s = c.text.Cut(c.secrets.Replace(s), head, tail)
	c.left -= len(s)
	return s
}

// secretName matches the names of variables whose values are not to be shown.
var secretName = regexp.MustCompile(`(?i)(TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|_KEY$|_PAT$|_PWD$|AUTH(_|$))`)

// leastSecret is how long a value is at least: a shorter one is part of ordinary words.
const leastSecret = 8

const hidden = "***"

// secretsOf returns what replaces the values of secrets in an environment, each line of
// them too.
func secretsOf(environ []string) *strings.Replacer {
	var values []string
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !secretName.MatchString(name) {
			continue
		}
		for _, v := range append(strings.Split(value, "\n"), value) {
			if v = strings.TrimSpace(v); len(v) >= leastSecret {
				values = append(values, v, report.EscapeMarkdown(v), html.EscapeString(v))
			}
		}
	}
	// Of two values of which one begins with the other, the longer one goes first.
	slices.SortFunc(values, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, v := range slices.Compact(values) {
		pairs = append(pairs, v, hidden)
	}
	return strings.NewReplacer(pairs...)
}
