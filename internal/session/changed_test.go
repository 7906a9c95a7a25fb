package session

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace/instrument"
)

func TestChange(t *testing.T) {
	c := &change{root: "/r", lines: make(map[string][]lines)}
	c.parse([]byte("diff --git a/q.go b/q.go\n--- q/q.go\n+++ q/q.go\n@@ -3,2 +3 @@ func f() {\n-a\n-b\n+++ other.go\n\\ No newline\n@@ -10,0 +9,2 @@\n+d\n+e\n" +
		"diff --git gone.go gone.go\n--- gone.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"))
	for line, want := range map[int]bool{2: false, 3: true, 4: false, 8: false, 9: true, 10: true, 11: false} {
		if got := c.within("/r/q/q.go", line, line); got != want {
			t.Errorf("line %d has changed: %v, want %v", line, got, want)
		}
	}
	if c.within("/r/other.go", 3, 3) || c.within("/elsewhere/q.go", 3, 3) {
		t.Error("a file that has not changed counts as changed")
	}
}

// TestChangedSince has files that differ without a line in a diff, in a repository that is reached by a
// symbolic link.
func TestChangedSince(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	top := t.TempDir()
	dir, link := filepath.Join(top, "m"), filepath.Join(top, "link")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=G", "-c", "user.email=g@example.com"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "testdata"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	write("same_test.go", "package m\n\nfunc TestSame(t *testing.T) {}\n")
	write("old_test.go.off", "package m\n\nfunc TestRenamed(t *testing.T) {}\n")
	write("gone.go", "package m\n")
	write("testdata/picture", "\x00\x01")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "base")
	git("mv", "old_test.go.off", "old_test.go")
	git("rm", "-q", "gone.go")
	write("testdata/picture", "\x00\x02")
	write("testdata/empty", "")
	git("add", "testdata/empty")
	write("testdata/new", "not added\n")
	c, err := changedSince(t.Context(), link, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	const want = "gone.go old_test.go old_test.go.off testdata/empty testdata/new testdata/picture"
	if got := strings.Join(slices.Sorted(maps.Keys(c.lines)), " "); got != want {
		t.Errorf("changed are %s, want %s", got, want)
	}
	if got := strings.Join(c.tests(link), " "); got != "TestRenamed" {
		t.Errorf("changed tests are %q, want TestRenamed", got)
	}
	if !c.within(filepath.Join(link, "old_test.go"), 3, 3) || c.within(filepath.Join(link, "same_test.go"), 3, 3) {
		t.Error("a line is not found by the link, or one that is the same has changed")
	}
}

// TestAffects has the packages that a changed file is part of, directly or not. One has a test that imports what is
// nowhere: the others are found all the same.
func TestAffects(t *testing.T) {
	dir := resolved(t.TempDir())
	var list []instrument.Package
	for name, text := range map[string]string{
		"go.mod":              "module example.com/m\n\ngo 1.24\n",
		"p/p.go":              "package p\n",
		"q/q.go":              "package q\n",
		"q/q_test.go":         "package q\n\nimport _ \"example.com/m/p\"\n",
		"data/data.go":        "package data\n\nimport _ \"embed\"\n\n//go:embed embedded/table\nvar Table string\n",
		"data/embedded/table": "one\n",
		"data/testdata/one":   "one\n",
		"same/same.go":        "package same\n",
		"lost/lost.go":        "package lost\n",
		"lost/all_test.go":    "package lost\n\nimport _ \"example.com/nowhere\"\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if path := filepath.Dir(name); path != "." && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			list = append(list, instrument.Package{ImportPath: "example.com/m/" + path, Dir: filepath.Join(dir, path)})
		}
	}
	for file, want := range map[string]string{
		"p/p.go": "p q", "q/q_test.go": "q", "data/testdata/more": "data", "data/embedded/table": "data",
		"go.mod": "data lost p q same", "README.md": "",
	} {
		c := &change{root: dir, lines: map[string][]lines{file: {{1, 1}}}}
		affected, err := c.affects(t.Context(), "go", dir, nil, list)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range affected {
			got = append(got, strings.TrimPrefix(p.ImportPath, "example.com/m/"))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: affected are %v, want %s", file, got, want)
		}
	}
}
