package text

import (
	"strings"
	"testing"
)

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

func TestTestFile(t *testing.T) {
	long := strings.Repeat("long/", 100)
	for _, tt := range []struct{ pkg, test, want string }{
		{"example.com/m/p", "TestX", "p.TestX"},
		{"example.com/m/p", "TestX/case_3", "p.TestX-case_3"},
		{"p", "TestX/a:b*c?", "p.TestX-a_b_c_"},
		{"p", "TestX/ünïcode", "p.TestX-_n_code"},
		{"example.com/con", "TestX", "_con.TestX"},
		{"example.com/.hidden", "TestX", "_.hidden.TestX"},
		{"p", "TestX/../../etc/passwd", "p.TestX-..-..-etc-passwd"},
		{"p", "", "p.package"},
	} {
		if got := TestFile(tt.pkg, tt.test); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.pkg, tt.test, got, tt.want)
		}
	}
	a, b := TestFile("p", long+"a"), TestFile("p", long+"b")
	if len(a) > 140 || a == b {
		t.Errorf("long names: %s and %s", a, b)
	}
}
