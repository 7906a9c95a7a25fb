package advice

import "testing"

func TestClosest(t *testing.T) {
	names := []string{"run", "report", "issue", "diff", "export", "version", "n", "p", "cpu", "trace-budget", "async-wait", "test-order"}
	for word, want := range map[string]string{
		"rnu": "run", "ru": "run", "reprot": "report", "Report": "report", "isue": "issue", "exprot": "export",
		"versoin": "version", "": "", "r": "", "frobnicate": "", "deploy": "",
		// One letter is close to no other.
		"m": "", "x": "", "-m": "", "nn": "", "cp": "cpu", "-N": "n",
		// The beginning of a word, and a part of it, but not of two words, and not too short.
		"trace": "trace-budget", "async": "async-wait", "order": "test-order", "Wait": "async-wait", "as": "", "te": "",
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
