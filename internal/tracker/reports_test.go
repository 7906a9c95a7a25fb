package tracker

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/store"
)

func TestReportsPath(t *testing.T) {
	for _, c := range []struct{ module, run, want string }{
		{"example.com/m", "20261122-120000-abc", "example.com/m/20261122-120000-abc"},
		{"github.com/Azure/x", "1", "github.com/!azure/x/1"},
		{"m", "1", "m/1"},
		{"a.b/~c/d_e-f+g/v2", "1", "a.b/~c/d_e-f+g/v2/1"},
	} {
		if got, err := ReportsPath(c.module, c.run); got != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.module, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "/", "/etc", "..", "../x", "a/../b", "a//b", "a/", ".", ".git", "a/.x", `a\b`, "a b", "a:b", "a\x00", "é", "a\n", "<b>", strings.Repeat("a", 201)} {
		if got, err := ReportsPath(bad, "1"); !errors.Is(err, errPath) {
			t.Errorf("module %q: %s, %v", bad, got, err)
		}
		if bad == "a/../b" || !strings.Contains(bad, "/") {
			if got, err := ReportsPath("m", bad); !errors.Is(err, errPath) {
				t.Errorf("run %q: %s, %v", bad, got, err)
			}
		}
	}
}

// makeFiles makes files in a new directory, by name and content.
func makeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// files returns the files below a directory, as name=content.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		list = append(list, filepath.ToSlash(rel)+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}

// Reports are copied, and nothing else. If they were written again, or after a kill, the copy has
// what is in the run.
func TestReports(t *testing.T) {
	from := makeFiles(t, map[string]string{"index.html": "i", "result.json": "r", "m.TestX.html": "x", "m.TestX.md": "m", "meta.json": "secret",
		"runs.jsonl": "-", "traces/a.html": "t", ".tmp-1.html": "half", "src/x.go.txt": "s"})
	if err := os.Symlink("/etc/passwd", filepath.Join(from, "link.html")); err != nil {
		t.Log(err)
	}
	r := Reports{Dir: filepath.Join(t.TempDir(), "team")}
	add := func(written int, want ...string) {
		t.Helper()
		added, err := r.Add(context.Background(), "a.b/m/1", from)
		if err != nil || added.Written != written || added.Files != len(want) || len(added.Left) != 0 {
			t.Fatalf("%+v, %v; want %d written", added, err, written)
		}
		for i := range want {
			want[i] = "a.b/m/1/" + want[i]
		}
		if got := files(t, r.Dir); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	add(4, "index.html=i", "m.TestX.html=x", "m.TestX.md=m", "result.json=r")
	add(0, "index.html=i", "m.TestX.html=x", "m.TestX.md=m", "result.json=r")

	there := filepath.Join(r.Dir, "a.b", "m", "1")
	for name, content := range map[string]string{partial + "X": "ha", "m.TestX.md": "", "m.TestOld.html": "old"} {
		if err := os.WriteFile(filepath.Join(there, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(from, "index.html"), []byte("i2"), 0o666); err != nil {
		t.Fatal(err)
	}
	add(2, "index.html=i2", "m.TestX.html=x", "m.TestX.md=m", "result.json=r")
}

// What is too large is left out and listed, except the index and the result.
func TestReportsTooLarge(t *testing.T) {
	from := makeFiles(t, map[string]string{"index.html": "12345", "result.json": "12345", "a.html": strings.Repeat("a", 8), "b.html": "b"})
	r := Reports{Dir: t.TempDir(), most: 17}
	added, err := r.Add(context.Background(), "m/1", from)
	if err != nil || added.Files != 3 || !slices.Equal(added.Left, []string{"a.html"}) {
		t.Errorf("%+v, %v", added, err)
	}
	if got, want := files(t, r.Dir), []string{"m/1/b.html=b", "m/1/index.html=12345", "m/1/result.json=12345"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A link in the directory does not lead out of it.
func TestReportsLinked(t *testing.T) {
	r, elsewhere := Reports{Dir: t.TempDir()}, t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(r.Dir, "m")); err != nil {
		t.Skip(err)
	}
	if added, err := r.Add(context.Background(), "m/1", makeFiles(t, map[string]string{"index.html": "i"})); err == nil {
		t.Errorf("got %+v", added)
	}
	if got := files(t, elsewhere); len(got) != 0 {
		t.Errorf("there is %q", got)
	}
}

// One process at a time writes the reports of a run.
func TestReportsInUse(t *testing.T) {
	r := Reports{Dir: t.TempDir()}
	from := makeFiles(t, map[string]string{"index.html": "i"})
	if _, err := r.Add(context.Background(), "m/1", from); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(filepath.Join(r.Dir, "m", "1"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	lock, err := store.LockOpen(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Add(context.Background(), "m/1", from); !errors.Is(err, store.ErrInUse) {
		t.Errorf("got %v", err)
	}
	lock.Close()
	if _, err := r.Add(context.Background(), "m/1", from); err != nil {
		t.Errorf("after it was released: %v", err)
	}
}
