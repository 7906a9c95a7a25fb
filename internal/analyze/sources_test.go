package analyze

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPeek edits a file after it was kept: the index has what the reports show.
func TestPeek(t *testing.T) {
	k := newSourceKeeper(t.TempDir(), t.TempDir(), nil)
	name := filepath.Join(k.root, "m.go")
	if err := os.WriteFile(name, []byte("package then"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := k.read("m.go"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("package now"), 0o666); err != nil {
		t.Fatal(err)
	}
	for what, read := range map[string]func(string) ([]byte, error){"read": k.read, "peek": k.peek} {
		if data, err := read("m.go"); err != nil || string(data) != "package then" {
			t.Errorf("%s: %q, %v, want what was kept", what, data, err)
		}
	}
}
