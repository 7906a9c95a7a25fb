package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestNameTests has names of tests, the directory that they are typed in, and what they stand for.
func TestNameTests(t *testing.T) {
	files, err := txtar.FS(txtar.Parse([]byte(`
-- go.mod --
module example.com/m
-- queue/queue_test.go --
package queue

func TestDrain(t *testing.T) {}

func TestFill(t *testing.T) {}
-- store/store_test.go --
package store

func TestFill(t *testing.T) {}

func TestOther(t *testing.T) {}
`)))
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	if err := os.CopyFS(module, files); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, typed, packages, run string }{
		{".", "TestDrain/two", "./queue", "^TestDrain$/^two$"},
		{".", "queue.TestFill store.TestOther", "./queue ./store", "^TestFill$|^TestOther$"},
		{".", "./queue ./store", "./queue ./store", ""},
		{"store", "TestFill", ".", "^TestFill$"}, // here, and elsewhere too
		{"store", "TestFill/ten", ".", "^TestFill$/^ten$"},
		{"store", "TestDrain", "../queue", "^TestDrain$"},
	} {
		j := &Session{Console: &Console{Chdir: filepath.Join(module, c.dir)}, Config: Config{Patterns: strings.Fields(c.typed)}}
		if err := j.NameTests(); err != nil || !slices.Equal(j.Patterns, strings.Fields(c.packages)) || j.Sel.Run != c.run {
			t.Errorf("%s in %s: packages %s, -run %s, %v; want %s, -run %s", c.typed, c.dir, j.Patterns, j.Sel.Run, err, c.packages, c.run)
		}
	}
}
