package text

import "testing"

func TestShellQuote(t *testing.T) {
	for s, want := range map[string]string{"example.com/m": "example.com/m", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'"} {
		if got := ShellQuote(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}
