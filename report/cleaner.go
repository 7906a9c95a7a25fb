package report

import "github.com/fdebug/fdebug/internal/say"

// A Cleaner makes text from tests fit for outputs that are made elsewhere: as on
// pages, it is valid UTF-8 without terminal escapes, and home directories are "~".
type Cleaner struct{ c *cleaner }

// NewCleaner returns a cleaner that shortens that home directory, and what looks like one.
func NewCleaner(home string) *Cleaner { return &Cleaner{newCleaner(home, nil)} }

// Line returns s as one line of at most max characters.
func (c *Cleaner) Line(s string, max int) string { return c.c.line(s, max) }

// Cut returns s; of a long one its first head and last tail bytes.
func (c *Cleaner) Cut(s string, head, tail int) string { return c.c.cut(s, head, tail) }

// EscapeMarkdown makes text mean itself in Markdown: no markup, no HTML, no mention of
// a user.
func EscapeMarkdown(s string) string { return say.Escape(s) }
