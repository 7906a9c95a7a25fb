package advice

import "testing"

func TestClosest(t *testing.T) {
	names := []string{"run", "report", "issue", "diff", "export", "version"}
	for word, want := range map[string]string{
		"rnu": "run", "ru": "run", "reprot": "report", "Report": "report", "isue": "issue", "exprot": "export",
		"versoin": "version", "": "", "r": "", "frobnicate": "", "deploy": "",
	} {
		if got := closest(word, names); got != want {
			t.Errorf("closest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "ab", 2}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3},
	} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
