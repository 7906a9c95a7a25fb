package text

import "testing"

// TestLine shows what a terminal would interpret as a command, and cuts.
func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"got 1,\n\twant 2":                    "got 1, want 2",
		"\x1b[31mred\x1b[0m":                  `\x1b[31mred\x1b[0m`,
		"\x1b]8;;http://x\x07link":            `\x1b]8;;http://x\alink`,
		"left\u202eright":                     `left\u202eright`,
		"naïve “quotes” 世界":                   "naïve “quotes” 世界",
		"one two three four five six seven 8": "one two three four five six s…",
	} {
		if got := Line(in, 30); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
