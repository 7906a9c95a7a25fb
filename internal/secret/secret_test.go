package secret

import (
	"html"
	"testing"
)

func TestHide(t *testing.T) {
	h := NewHider([]string{
		"DEPLOY_TOKEN=correct-horse", "DEPLOY_TOKEN_OLD=correct-horse-battery", "PATH=/usr/local/bin", "API_KEY=short",
		"SIGNING_KEY=first line\nsecond line\n", "db_password=a<b>c&d<e>", "MONKEY=not-a-secret", "KEYS=not-one-either", "BROKEN",
	}, html.EscapeString)
	for in, want := range map[string]string{
		"with correct-horse-battery staple":     "with *** staple",
		"with correct-horse staple":             "with *** staple",
		"/usr/local/bin short":                  "/usr/local/bin short",
		"second line":                           "***",
		"a&lt;b&gt;c&amp;d&lt;e&gt; a<b>c&d<e>": "*** ***",
		"not-a-secret not-one-either":           "not-a-secret not-one-either",
	} {
		if got := h.Hide(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	if got := (*Hider)(nil).Hide("x"); got != "x" {
		t.Errorf("without an environment: %q", got)
	}
}
