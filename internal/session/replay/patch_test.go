package replay

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Patches apply, and preserve the formatting of what they change.
func TestPatch(t *testing.T) {
	const plain = "package m\n\nimport \"time\"\n\nfunc f() {\n\tg()\n\th()\n}\n\nvar d = time.Second\n"
	for _, c := range []struct {
		name, src string
		line, col int
		nth       int
		want      string // added lines
	}{
		{"at a statement", plain, 7, 2, 0, "\ttime.Sleep(1500 * time.Microsecond)"},
		{"the second time", plain, 7, 2, 2,
			"import \"sync/atomic\"|\tif sleepArrivals1.Add(1) == 2 { time.Sleep(1500 * time.Microsecond) }||var sleepArrivals1 atomic.Int64"},
		{"time is not imported", "package m\n\nfunc f() {\n\tg()\n}\n", 4, 2, 0, "import \"time\"|\ttime.Sleep(1500 * time.Microsecond)"},
		{"time means something else", "package m\n\nfunc f(time int) {\n\tg(time)\n}\n", 4, 2, 0, "import sleeptime \"time\"|\tsleeptime.Sleep(1500 * sleeptime.Microsecond)"},
		{"time has another name", "package m\n\nimport clock \"time\"\n\nfunc f() {\n\tg(clock.Now())\n}\n", 6, 2, 0, "\tclock.Sleep(1500 * clock.Microsecond)"},
		{"within a line", "package m\n\nimport \"time\"\n\nfunc f() { g(time.Now()) }\n", 5, 12, 0, "func f() { time.Sleep(1500 * time.Microsecond); g(time.Now()) }"},
		{"no newline at the end", strings.TrimSuffix(plain, "\n"), 6, 2, 0, "\ttime.Sleep(1500 * time.Microsecond)"},
	} {
		f := &patchedFile{old: strings.SplitAfter(c.src, "\n"), news: make(map[int][]string)}
		if err := f.sleep(c.line, c.col, 1500*time.Microsecond, c.nth, 0); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var added []string
		for _, line := range strings.Split(string(f.diff("m.go")), "\n") {
			if text, ok := strings.CutPrefix(line, "+"); ok && !strings.HasPrefix(line, "+++ ") {
				added = append(added, text)
			}
		}
		if got := strings.Join(added, "|"); got != c.want {
			t.Errorf("%s: adds %q, want %q", c.name, got, c.want)
		}
		if got := applied(t, c.src, string(f.diff("m.go"))); got != f.patched() {
			t.Errorf("%s: git makes %q of it, want %q", c.name, got, f.patched())
		}
	}
}

// applied returns the result of git apply for a file.
func applied(t *testing.T, src, patch string) string {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "m.go")
	if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("git apply: %v\n%s%s", err, out, patch)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
