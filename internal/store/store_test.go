package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func create(t *testing.T, s Store, at time.Time) string {
	t.Helper()
	dir, err := s.Create(at)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Two runs begun in the same second have separate directories, and git ignores them all.
func TestCreate(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), Name)}
	first, second := create(t, s, noon), create(t, s, noon)
	if filepath.Base(first) != "20261120-120000" || filepath.Base(second) != "20261120-120000-2" {
		t.Errorf("got %s and %s", first, second)
	}
	ignore, err := os.ReadFile(filepath.Join(s.Dir, ".gitignore"))
	if err != nil || string(ignore) != "*\n" {
		t.Errorf(".gitignore is %q, error %v", ignore, err)
	}
}

// A directory of the user keeps its files visible to git.
func TestMakeBeside(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       bool
	}{
		{Name, "", true},
		{Name, "shards", true}, // what a shard wrote first
		{"out", "", true},      // "" is an empty directory
		{"out", "main.go", false},
		{"out", "runs", false},
	} {
		s := Store{Dir: filepath.Join(t.TempDir(), c.name)}
		if err := os.MkdirAll(filepath.Join(s.Dir, c.file), 0o777); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second run is like the first
			create(t, s, noon)
		}
		if _, err := os.Stat(filepath.Join(s.Dir, ".gitignore")); (err == nil) != c.want {
			t.Errorf("%s with %q in it: %v", c.name, c.file, err)
		}
	}
}

// The path of a directory may have any character that a file system allows.
func TestGlob(t *testing.T) {
	for _, name := range []string{"a[b]", "a*", "a?b", "[", `a\b`} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o777); err != nil {
			continue // this system has no such names
		}
		want := filepath.Join(dir, "sub", "x.json")
		if err := os.WriteFile(want, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := Glob(dir, "*/*.json"); !slices.Equal(got, []string{want}) {
			t.Errorf("in %s: got %v", dir, got)
		}
	}
}

func TestFind(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), Name)}
	if _, err := s.Find(""); !errors.Is(err, errNoRun) {
		t.Errorf("in an empty store: got error %v, want %v", err, errNoRun)
	}
	first, second := create(t, s, noon), create(t, s, noon.Add(time.Minute))
	if got, err := s.Find(""); err != nil || filepath.Base(got) != filepath.Base(second) {
		t.Errorf("before latest is set: got %s, %v; want the newest", got, err)
	}
	if err := s.SetLatest(first); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Find(""); err != nil || filepath.Base(got) != filepath.Base(first) {
		t.Errorf("latest: got %s, %v; want %s", got, err, first)
	}
	if err := s.SetLatest(second); err != nil { // it can be moved
		t.Fatal(err)
	}
	if got, err := s.Find(""); err != nil || filepath.Base(got) != filepath.Base(second) {
		t.Errorf("latest, moved: got %s, %v; want %s", got, err, second)
	}
	for _, name := range []string{filepath.Base(first), first} {
		if got, err := s.Find(name); err != nil || got != first {
			t.Errorf("Find(%s): got %s, %v", name, got, err)
		}
	}
	if _, err := s.Find("20200101-000000"); !errors.Is(err, errNoRun) {
		t.Errorf("a run that is not there: got error %v", err)
	}
}

// If the system has no links, latest is a file.
func TestLatestAsFile(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	dir := create(t, s, noon)
	create(t, s, noon.Add(time.Hour))
	text := filepath.Join("runs", filepath.Base(dir)) + "\n"
	if err := os.WriteFile(filepath.Join(s.Dir, "latest"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Find(""); err != nil || got != dir {
		t.Errorf("got %s, %v; want %s", got, err, dir)
	}
}

func TestPrune(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	var want []string
	for i := range Keep + 3 {
		dir := create(t, s, noon.Add(time.Duration(i)*time.Minute))
		if i >= 3 {
			want = append(want, filepath.Base(dir))
		}
	}
	if err := s.Prune(); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Runs(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}
