package experiment

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
)

// What replay files of version 1 have done to runs is done still, byte for byte: plans.golden was written by
// the last fdebug that made such files.
func TestVersion1Plans(t *testing.T) {
	dir := filepath.Join("..", "proof", "testdata", "v1")
	files, err := filepath.Glob(filepath.Join(dir, "*.replay.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var b strings.Builder
	for _, f := range files {
		p, err := proof.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []float64{1, 3} {
			x := exact(p, n)
			name := filepath.Join(t.TempDir(), "plan")
			if err := x.Plan.WriteFile(name); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %v: %d bytes %x, %q, %q %v %d, hold %v, kind %s, %s\n", strings.TrimSuffix(filepath.Base(f), ".replay.json"), n,
				len(data), sha256.Sum256(data), x.Plan.Env("plan"), x.Before, x.Suite, x.Shuffle, x.hold(), x.Kind(), p.Kind())
		}
	}
	want, err := os.ReadFile(filepath.Join(dir, "plans.golden"))
	if got := b.String(); err != nil || got != string(want) {
		t.Errorf("got\n%s\nwant\n%s, %v", got, want, err)
	}
}
