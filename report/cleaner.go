package report

import (
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
)

// A Cleaner makes text from tests fit for outputs that are made elsewhere: as on
// pages, it is valid UTF-8 without terminal escapes, and home directories are "~".
type Cleaner = listing.Cleaner

// NewCleaner returns a cleaner that shortens that home directory, and what looks like one.
func NewCleaner(home string) *Cleaner { return listing.NewCleaner(home, nil) }

// EscapeMarkdown makes text mean itself in Markdown: no markup, no HTML, no mention of
// a user.
func EscapeMarkdown(s string) string { return say.Escape(s) }
