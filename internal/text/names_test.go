package text

import "testing"

func TestShortPath(t *testing.T) {
	all := []string{"m/a/util", "m/b/util", "m/util", "m/util/util", "m/a/z/q", "m/b/z/q", "m/queue", "q"}
	for path, want := range map[string]string{
		"m/a/util": "a/util", "m/b/util": "b/util", "m/util": "m/util", "m/util/util": "util/util",
		"m/a/z/q": "a/z/q", "m/b/z/q": "b/z/q", "m/queue": "queue", "q": "q",
	} {
		if got := ShortPath(path, all); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestIsTest(t *testing.T) {
	for typed, want := range map[string]bool{
		"TestX": true, "q.TestX": true, "z/q.TestX": true, "m/z/q.TestX": true, "x/q.TestX": false, "estX": false,
		"/q.TestX": false, ".TestX": false, "TestY": false, "q.TestY": false,
	} {
		if got := IsTest(typed, "m/z/q", "TestX"); got != want {
			t.Errorf("%s: %v", typed, got)
		}
	}
}
