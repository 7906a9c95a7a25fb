package replay

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// sidesModule is a module below the root of a repository, with all that can happen to a file.
const sidesModule = `
-- README.md --
read me
-- m/go.mod --
module example.com/m

go 1.24
-- m/a.go --
package m

const A = 1
-- m/gone.go --
package m

const Gone = 1
-- m/same.go --
package m
-- m/testdata/x.txt --
x
`

// edits change it.
func edits(t *testing.T, root string) {
	write(t, filepath.Join(root, "README.md"), "read me first\n")
	write(t, filepath.Join(root, "m/a.go"), "package m\n\nconst A = 2\n")
	write(t, filepath.Join(root, "m/new.go"), "package m\n\nconst New = 1\n")
	write(t, filepath.Join(root, "m/testdata/x.txt"), "y\n")
	if err := os.Remove(filepath.Join(root, "m/gone.go")); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// repository makes it, as its only commit.
func repository(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, f := range txtar.Parse([]byte(sidesModule)).Files {
		write(t, filepath.Join(root, f.Name), string(f.Data))
	}
	git(t, root, "init", "-q")
	git(t, root, "add", "-A")
	git(t, root, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", "base")
	return root
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// check wants the three files that differ on their sides, and the others by name.
func (s *Sides) check(t *testing.T, others ...string) {
	t.Helper()
	for name, want := range map[string][2]string{"a.go": {"A = 1", "A = 2"}, "gone.go": {"Gone", ""}, "new.go": {"", "New"}} {
		before, was := s.Before[name]
		after, is := s.After[name]
		if was != (want[0] != "") || is != (want[1] != "") || !strings.Contains(string(before), want[0]) ||
			!strings.Contains(string(after), want[1]) {
			t.Errorf("%s: %q, then %q; want %q", name, before, after, want)
		}
	}
	if len(s.Before) != 2 || len(s.After) != 2 {
		t.Errorf("%d files, then %d", len(s.Before), len(s.After))
	}
	slices.Sort(s.Others)
	if !slices.Equal(s.Others, others) {
		t.Errorf("others: %q, want %q", s.Others, others)
	}
}

// What differs from a revision, committed or not.
func TestSidesSince(t *testing.T) {
	root := repository(t)
	edits(t, root)
	s, err := SidesSince(context.Background(), filepath.Join(root, "m"), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	s.check(t, "README.md", "testdata/x.txt")
	if _, err := SidesSince(context.Background(), filepath.Join(root, "m"), "nowhere"); err == nil {
		t.Error("no error for a revision that is not there")
	}
	if _, err := SidesSince(context.Background(), filepath.Join(root, "m"), "--output=x"); err == nil {
		t.Error("a flag passed for a revision")
	}
}

// What a patch would change. It changes nothing.
func TestSidesPatched(t *testing.T) {
	root := repository(t)
	edits(t, root)
	git(t, root, "add", "-A")
	patch := filepath.Join(t.TempDir(), "edit.patch")
	write(t, patch, git(t, root, "diff", "--cached", "--", "m"))
	git(t, root, "reset", "-q", "--hard")
	work := filepath.Join(t.TempDir(), "work")
	s, err := SidesPatched(context.Background(), filepath.Join(root, "m"), work, patch)
	if err != nil {
		t.Fatal(err)
	}
	s.check(t, "testdata/x.txt")
	if out := git(t, root, "status", "--porcelain"); out != "" {
		t.Errorf("the tree changed: %s", out)
	}
	write(t, patch, strings.ReplaceAll(git(t, root, "show", "HEAD", "--", "m/a.go"), "A = 1", "A = 7"))
	if _, err := SidesPatched(context.Background(), filepath.Join(root, "m"), t.TempDir(), patch); err == nil {
		t.Error("a patch that does not apply was taken")
	}
}

// What differs from the files that a run has kept.
func TestSidesKept(t *testing.T) {
	root, run := repository(t), t.TempDir()
	for _, name := range []string{"go.mod", "a.go", "gone.go", "same.go"} {
		data, err := os.ReadFile(filepath.Join(root, "m", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(run, "src", name+".txt"), string(data))
	}
	edits(t, root)
	s, err := SidesKept(filepath.Join(root, "m"), run)
	if err != nil {
		t.Fatal(err)
	}
	s.check(t)
}

// The first condition that does not hold decides; what was not found out leaves it open.
func TestRule(t *testing.T) {
	for _, c := range []struct {
		list []Ruling
		want Ruling
	}{
		{nil, Open},
		{[]Ruling{Gone, Gone}, Gone},
		{[]Ruling{Gone, Open}, Open},
		{[]Ruling{Open, Dose}, Dose},
		{[]Ruling{Gone, Weaker, Still}, Weaker},
	} {
		g := new(Judgement)
		for _, is := range c.list {
			g.Conditions = append(g.Conditions, Condition{Is: is})
		}
		if got := g.Ruling(); got != c.want {
			t.Errorf("%q: %q, want %q", c.list, got, c.want)
		}
	}
}
