package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestMain also runs as the process that TestAbandoned kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STORE_TEST_LOCK"); dir != "" {
		if _, err := LockDir(dir); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("locked\n")
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// lockElsewhere lets another process lock dir, and returns a function that kills it.
func lockElsewhere(t *testing.T, dir string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_LOCK="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = func() { cmd.Process.Kill(); cmd.Wait() }
	t.Cleanup(kill)
	if n, err := out.Read(make([]byte, 7)); n != 7 {
		t.Fatalf("the other process does not lock: %v", err)
	}
	return kill
}

// A lock lasts exactly as long as the process that holds it.
func TestAbandoned(t *testing.T) {
	dir := t.TempDir()
	if got := useOf(dir); got != unused {
		t.Errorf("before: %v", got)
	}
	kill := lockElsewhere(t, dir)
	if got := useOf(dir); got != inUse {
		t.Errorf("while another process has it: %v", got)
	}
	kill()
	if got := useOf(dir); got != abandoned {
		t.Errorf("after that was killed: %v", got)
	}
	lock, err := LockDir(dir)
	if err != nil || useOf(dir) != inUse {
		t.Errorf("locked anew: %v, %v", useOf(dir), err)
	}
	lock.Release()
	if got := useOf(dir); got != unused {
		t.Errorf("released: %v", got)
	}
}

// Prune leaves a run alone that another process still uses, however many runs came later.
func TestPruneInUse(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	long := create(t, s, noon)
	kill := lockElsewhere(t, long)
	var want []string
	for i := range Keep + 2 {
		dir := create(t, s, noon.Add(time.Duration(i+1)*time.Minute))
		if i >= 2 {
			want = append(want, filepath.Base(dir))
		}
	}
	for _, want := range [][]string{append([]string{filepath.Base(long)}, want...), want} {
		if err := s.Prune(); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Runs(); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
		kill()
	}
}

// Sweep removes what a killed process would have removed itself, and leaves its results.
func TestSweep(t *testing.T) {
	s := Store{Dir: t.TempDir()}
	killed, running, done := create(t, s, noon), create(t, s, noon.Add(1)), create(t, s, noon.Add(2))
	lockElsewhere(t, killed)()
	lockElsewhere(t, running)
	for _, dir := range []string{killed, running, done} {
		for _, name := range []string{raw, filepath.Join("values", raw), "traces"} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name, "file"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.Sweep()
	for _, c := range []struct {
		name string
		want bool
	}{
		{filepath.Join(killed, raw), false}, {filepath.Join(killed, "values", raw), false}, {filepath.Join(killed, "traces", "file"), true},
		{filepath.Join(killed, lockName), false},
		{filepath.Join(running, raw, "file"), true}, {filepath.Join(running, lockName), true}, {filepath.Join(done, raw, "file"), true},
	} {
		if _, err := os.Lstat(c.name); (err == nil) != c.want {
			t.Errorf("%s is there: %v", c.name, err == nil)
		}
	}
}

// SweepTemp only handles directories that are marked, and ignores links.
func TestSweepTemp(t *testing.T) {
	dir := t.TempDir()
	mk := func(name string) string {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	killed, running, link := mk("fdebug-1"), mk("fdebug-2"), mk("other")
	mk("fdebug-3")
	lockElsewhere(t, killed)()
	lockElsewhere(t, link)()
	lockElsewhere(t, running)
	if err := os.Symlink(link, filepath.Join(dir, "fdebug-4")); err != nil {
		t.Skip(err)
	}
	SweepTemp(dir, "fdebug-*")
	var got []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if want := []string{"fdebug-2", "fdebug-3", "fdebug-4", "other"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("left: %v, %v; want %v", got, err, want)
	}
}

// A process has a directory exclusively until it ends in any way.
func TestExclusive(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hunt")
	first, err := Exclusive(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Exclusive(dir); err != ErrInUse {
		t.Errorf("a second time: %v, want %v", err, ErrInUse)
	}
	first.Release()
	second, err := Exclusive(dir)
	if err != nil {
		t.Errorf("after it was released: %v", err)
	}
	second.Release()
}
