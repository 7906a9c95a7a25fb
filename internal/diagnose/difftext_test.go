package diagnose

import "testing"

// A diff of testify shows the same elements in another order if it has all of each, and if they are
// elements of a list.
func TestDiffPermuted(t *testing.T) {
	const head = "Not equal:\nexpected: x\nactual  : y\n\nDiff:\n--- Expected\n+++ Actual\n"
	for name, c := range map[string]struct {
		diff string
		want bool
	}{
		"structs":        {"@@ -8,8 +8,8 @@\n(*m.T)({\n+   Name: \"b\",\n+   On: true\n+  }),\n+  (*m.T)({\nName: \"a\",\nOn: false\n-  }),\n-  (*m.T)({\n-   Name: \"b\",\n-   On: true\n})", true},
		"another value":  {"@@ -8,8 +8,8 @@\n(*m.T)({\n+   Name: \"b\",\n+   On: true\n+  }),\n+  (*m.T)({\nName: \"a\",\nOn: false\n-  }),\n-  (*m.T)({\n-   Name: \"b\",\n-   On: false\n})", false},
		"fields swapped": {"@@ -1,8 +1,8 @@\n(m.T) {\n-  A: (int) 1\n+  A: (int) 2\n},\n(m.T) {\n-  A: (int) 2\n+  A: (int) 1\n}", true}, // which are all that the elements have
		"one of several": {"@@ -1,8 +1,8 @@\n(m.T) {\n-  A: (int) 1,\n+  A: (int) 2,\n   B: (int) 1\n},\n(m.T) {\n-  A: (int) 2,\n+  A: (int) 1,\n   B: (int) 2\n}", false},
		"numbers":        {"@@ -1,4 +1,4 @@\n([]uint64) (len=2) {\n- (uint64) 1000,\n- (uint64) 1100\n+ (uint64) 1100,\n+ (uint64) 1000\n}", true},
		"other numbers":  {"@@ -1,4 +1,4 @@\n([]uint64) (len=2) {\n- (uint64) 1000,\n- (uint64) 1100\n+ (uint64) 1100,\n+ (uint64) 1200\n}", false},
		"begins within":  {"@@ -3,8 +3,8 @@\n  A: (int) 1\n+},\n+(m.T) {\n+  A: (int) 2\n},\n-(m.T) {\n-  A: (int) 2\n-},\n(m.T) {\n}", false},
		"fields":         {"@@ -1,4 +1,4 @@\n- A: (int) 1,\n- B: (int) 2\n+ A: (int) 2,\n+ B: (int) 1\n", false},
		"two pieces":     {"@@ -1,2 +1,2 @@\n- (int) 1,\n+ (int) 2,\n@@ -9,2 +9,2 @@\n- (int) 2,\n+ (int) 1,\n", false},
		"a text":         {"@@ -1,2 +1,2 @@\n-b\n-a\n+a\n+b\n", false},
	} {
		if got := diffPermuted(head + c.diff); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
	if diffPermuted("got [1 2], want [2 1]") {
		t.Error("no diff: true, want false")
	}
}
