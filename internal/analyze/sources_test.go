package analyze

import (
	"os"
	"path/filepath"
	"testing"
)

// What was kept of a file is read, and not what the user has made of it since; what
// is only looked at is not kept.
func TestPeek(t *testing.T) {
	k := newSourceKeeper(t.TempDir(), t.TempDir())
	for name, want := range map[string]string{"shown.go": "then", "other.go": "now"} {
		path := filepath.Join(k.root, name)
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write("then")
		if want == "then" {
			k.read(name)
		} else {
			k.peek(name)
		}
		write("now")
		if got, err := k.peek(name); err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
}
