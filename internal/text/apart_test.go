package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Texts that are cut show where any two differ, at the beginning, in the middle, in two places, or after the end of one.
func TestApart(t *testing.T) {
	x, y := strings.Repeat("x", 200), strings.Repeat("é", 100)
	for _, list := range [][]string{
		{"short", "shorter"},
		{x + "1", x + "2", x + "3"},
		{"1" + x, "2" + x},
		{x + "1" + y + "1", x + "1" + y + "2", x + "2" + y + "1", x + "2" + y + "2"},
		{y + "1" + x, y + "12" + x, y},
	} {
		got := Apart(list, 90)
		for i, s := range got {
			if slices.Contains(got[:i], s) || len(s) > 200 || !utf8.ValidString(s) {
				t.Errorf("%q", got)
			}
		}
	}
	if got := Apart([]string{x + "1", x + "2"}, 40)[0]; got != "…"+x[:30]+"1" {
		t.Errorf("%q", got)
	}
	if got := Apart([]string{x}, 4)[0]; got != "xxx…" {
		t.Errorf("%q", got)
	}
}
