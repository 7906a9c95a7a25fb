package ciout

import (
	"html"

	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/secret"
)

// A cleaner makes text from tests fit to be written.
type cleaner struct {
	text *listing.Cleaner
	// secrets replaces what must not be written; in Markdown also as it looks there.
	secrets *secret.Hider
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
	return &cleaner{text: listing.NewCleaner(home, nil),
		secrets: secret.NewHider(environ, say.Escape, html.EscapeString), left: maxTexts}
}

// line returns s as one line of at most max characters.
func (c *cleaner) line(s string, max int) string { return c.text.Line(c.secrets.Hide(s), max) }

// cut returns the beginning and the end of s, as long as there is room for texts.
func (c *cleaner) cut(s string, head, tail int) string {
	if s == "" {
		return ""
	}
	if c.left <= 0 {
		return textsLeftOut
	}
	s = c.text.Cut(c.secrets.Hide(s), head, tail)
	c.left -= len(s)
	return s
}
