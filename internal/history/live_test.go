package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A history that is read while others write to it has another version once they have,
// and the same as long as they have not; reading makes and changes nothing.
func TestLive(t *testing.T) {
	ctx := context.Background()
	file := filepath.Join(t.TempDir(), Name)
	if _, err := OpenLive(ctx, file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is no file: %v", err)
	}
	db, err := Open(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	add(t, db, job("s1", "c1", 0), 1, runOf("r1", 0, "TestX"))
	live, err := OpenLive(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	version := func() string {
		t.Helper()
		v, err := live.(Versioned).Version(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := version()
	if got := version(); got != first {
		t.Errorf("nothing was written: version %s, before %s", got, first)
	}
	if n := read(t, live, Filter{}).Runs; n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
	add(t, db, job("s1", "c1", 0), 1, runOf("r2", 1, "fail:TestX"))
	second := version()
	if second == first {
		t.Error("a run was added, and the version is the same")
	}
	if n := read(t, live, Filter{}).Runs; n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
	if err := db.Conclude(ctx, "s1", []Verdict{{Package: "example.com/m", Test: "TestX", Class: "proved"}}); err != nil {
		t.Fatal(err)
	}
	if version() == second {
		t.Error("a verdict was added, and the version is the same")
	}
	if _, err := live.Add(ctx, job("s2", "c2", 0), nil); err == nil {
		t.Error("a history that is to be read was written to")
	}
	if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) > 3 { // the file, and the two of its log
		t.Errorf("%v, %v", entries, err)
	}
}
