package session

import "testing"

func TestChange(t *testing.T) {
	c := &change{root: "/r", lines: make(map[string][]lines)}
	c.parse([]byte("diff --git a/q.go b/q.go\n--- q/q.go\n+++ q/q.go\n@@ -3,2 +3 @@ func f() {\n-a\n-b\n+c\n@@ -10,0 +9,2 @@\n+d\n+e\n" +
		"diff --git gone.go gone.go\n--- gone.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"))
	for line, want := range map[int]bool{2: false, 3: true, 4: false, 8: false, 9: true, 10: true, 11: false} {
		if got := c.Has("/r/q/q.go", line); got != want {
			t.Errorf("line %d has changed: %v, want %v", line, got, want)
		}
	}
	if _, ok := c.lines["gone.go"]; !ok {
		t.Error("a removed file does not count as changed")
	}
	if c.Has("/r/other.go", 3) || c.Has("/elsewhere/q.go", 3) {
		t.Error("a file that has not changed counts as changed")
	}
}
