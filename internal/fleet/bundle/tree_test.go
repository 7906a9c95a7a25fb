package bundle

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

const module = `
-- ws/m/go.mod --
-- ws/m/a.go --
-- ws/m/.fdebug/latest --
-- ws/m/q/q_test.go --
-- ws/m/q/testdata/in.txt --
-- ws/m/q/testdata/new.txt --
-- ws/m/q/testdata/new2.txt --
-- ws/m/large/1/x --
-- ws/m/large/2 --
-- ws/m/build.log --
-- ws/other/go.mod --
-- ws/other/o.go --
-- ws/other/unused/u.go --
`

// writeModule writes the files, and returns the parent directory of ws.
func writeModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(module)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPick chooses files with git and without.
func TestPick(t *testing.T) {
	for _, c := range []struct {
		name    string
		tracked string // in ws/m, "" without git
		tree    Tree   // paths relative to the parent directory of ws
		base    string
		want    string
		notes   string
	}{
		{
			name: "without git", tree: Tree{Modules: []string{"ws/m"}, Packages: []string{"ws/m/q"}, Sources: []string{"ws/m/a.go", "ws/m/gone.go"}},
			base: "ws/m", want: "a.go go.mod q/q_test.go q/testdata/in.txt q/testdata/new.txt q/testdata/new2.txt",
		},
		{
			name: "without git, the module's directory is a package", tree: Tree{Modules: []string{"ws/m"}, Packages: []string{"ws/m"}},
			base: "ws/m", want: "a.go build.log go.mod large/1/x large/2 q/q_test.go q/testdata/in.txt q/testdata/new.txt q/testdata/new2.txt",
		},
		{
			name: "with git", tracked: "go.mod q/testdata/in.txt", tree: Tree{Modules: []string{"ws/m"}, Packages: []string{"ws/m/q"}, Sources: []string{"ws/m/q/q_test.go"}},
			base: "ws/m", want: "go.mod q/q_test.go q/testdata/in.txt",
			notes: "git does not track q/testdata/new.txt and 1 more there: -include takes what tests need",
		},
		{
			name: "included", tracked: "go.mod", tree: Tree{Modules: []string{"ws/m"}, Packages: []string{"ws/m/q"}, Include: []string{"larg?", "q/testdata/*.txt"}},
			base: "ws/m", want: "go.mod large/1/x large/2 q/testdata/in.txt q/testdata/new.txt q/testdata/new2.txt",
		},
		{
			name: "included from above", tracked: "go.mod", tree: Tree{Modules: []string{"ws/m"}, Packages: []string{"ws/m"}, Include: []string{"../other/*.go"}},
			base: "ws", want: "m/go.mod other/o.go",
		},
		{
			name: "a workspace", tree: Tree{Modules: []string{"ws/m", "ws/other"}, Packages: []string{"ws/m/q", "ws/other/unused"}},
			base: "ws", want: "m/go.mod m/q/q_test.go m/q/testdata/in.txt m/q/testdata/new.txt m/q/testdata/new2.txt other/go.mod other/unused/u.go",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeModule(t)
			if c.tracked != "" {
				git(t, filepath.Join(dir, "ws/m"), append([]string{"add", "--"}, strings.Fields(c.tracked)...))
			}
			for _, list := range [][]string{c.tree.Modules, c.tree.Packages, c.tree.Sources} {
				for i := range list {
					list[i] = filepath.Join(dir, filepath.FromSlash(list[i]))
				}
			}
			c.tree.Skip = []string{".git", ".fdebug"}
			p, err := c.tree.Pick(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range p.files {
				rel, _ := filepath.Rel(p.Base, f)
				got = append(got, filepath.ToSlash(rel))
			}
			if p.Base != filepath.Join(dir, filepath.FromSlash(c.base)) {
				t.Errorf("base %s, want %s", p.Base, c.base)
			}
			if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
			if c.tracked != "" && c.notes != "" && strings.Join(p.Notes, "\n") != c.notes {
				t.Errorf("notes %q, want %q", p.Notes, c.notes)
			}
		})
	}
	dir := writeModule(t)
	tree := Tree{Modules: []string{filepath.Join(dir, "ws")}, Include: []string{"none*"}}
	if _, err := tree.Pick(t.Context()); !errors.Is(err, ErrNoMatch) {
		t.Errorf("got error %v, want %v", err, ErrNoMatch)
	}
}

func git(t *testing.T, dir string, args []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	for _, args := range [][]string{{"init", "-q"}, args} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// TestAddTree packs links, but only those that stay in the tree.
func TestAddTree(t *testing.T) {
	dir := writeModule(t)
	m := filepath.Join(dir, "ws/m")
	for name, target := range map[string]string{"inside": "a.go", "outside": "../other/o.go", "absolute": filepath.Join(m, "a.go")} {
		if err := os.Symlink(target, filepath.Join(m, name)); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(filepath.Join(m, "bad\xff"), nil, 0o666); err != nil {
		t.Skip(err)
	}
	tree := Tree{Modules: []string{m}, Packages: []string{m}, Skip: []string{".fdebug"}}
	p, err := tree.Pick(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := new(Writer)
	left, err := w.AddTree(p)
	if err != nil {
		t.Fatal(err)
	}
	const why = " stays behind: the link leads out of what is bundled"
	want := []string{`"absolute"` + why, `"bad\xff" stays behind: not every system can have a file of that name`, `"outside"` + why}
	if d := cmp.Diff(want, left); d != "" {
		t.Error(d)
	}
	links := 0
	for _, f := range w.Manifest.Files {
		if f.Link != "" {
			links++
			if f.Name != "tree/inside" || f.Link != "a.go" {
				t.Errorf("link %+v", f)
			}
		}
	}
	if links != 1 {
		t.Errorf("%d links", links)
	}
}
