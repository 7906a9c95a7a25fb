package text

import "testing"

func TestShellQuote(t *testing.T) {
	for s, want := range map[string]string{"example.com/m": "example.com/m", "-x=a,b:c@v1+2%": "-x=a,b:c@v1+2%", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'"} {
		if got := ShellQuote(s); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

func TestOfRuns(t *testing.T) {
	for _, c := range []struct {
		n, of int
		want  string
	}{{0, 1, "0 of 1 run"}, {1, 1, "1 of 1 run"}, {1, 20, "1 of 20 runs"}, {0, 0, "0 of 0 runs"}} {
		if got := OfRuns(c.n, c.of); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.n, c.of, got, c.want)
		}
	}
}
