// Package golden compares what tests get with files that people have read. It is imported by tests alone: it adds the
// flag -update, which writes the files anew.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var (
	update  = flag.Bool("update", false, "write golden files anew; read the difference before you believe it")
	writing sync.Mutex // of sections: tests side by side may have one file
)

// Update reports whether files are to be written anew.
func Update() bool { return *update }

// File compares a text with that of a file.
func File(t testing.TB, name, got string) {
	t.Helper()
	if *update {
		write(t, name, []byte(got))
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// Section compares a text with a section of a txtar archive.
func Section(t testing.TB, archive, section, got string) {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	a, err := txtar.ParseFile(archive)
	switch {
	case err != nil && *update:
		a = new(txtar.Archive)
	case err != nil:
		t.Fatal(err)
	}
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == section })
	if i < 0 {
		i = len(a.Files)
		a.Files = append(a.Files, txtar.File{Name: section})
	}
	switch diff := cmp.Diff(string(a.Files[i].Data), got); {
	case diff == "":
	case *update:
		a.Files[i].Data = []byte(got)
		write(t, archive, txtar.Format(a))
	default:
		t.Errorf("%s: %s (-want +got):\n%s", archive, section, diff)
	}
}

func write(t testing.TB, name string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
