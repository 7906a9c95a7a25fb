package values

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// TestInside gives odd statements positions inside, with and without the race detector: those whose comments say so.
// What they compute stays what it is, vet finds no fault with them, and each position has its event.
func TestInside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds std with probes")
	}
	for _, flags := range [][]string{nil, {"-race"}} {
		t.Run(strings.Join(append([]string{"build"}, flags...), ""), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata/inside")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/inside\n\ngo 1.25\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			plan := prepared(t, dir, flags)
			x := source.Load(context.Background(), source.Config{Dir: dir, Sites: plan.Sites})
			if !x.Typed {
				t.Fatal(x.Err)
			}
			first := len(plan.Sites.Blocks)
			plan, err := plan.Inside(t.TempDir(), Inside(x, plan.Sites, "example.com/inside"))
			if err != nil {
				t.Fatal(err)
			}
			tr := runTraced(t, dir, plan, append(flags, "-vet=all"))
			counts, _, err := plan.Sites.Counts(tr.Goroutines)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "inside_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			checkMarked(t, strings.Split(string(text), "\n"), plan.Sites.Blocks[first:], counts[first:])
		})
	}
}

// checkMarked compares the lines of positions with the comments "<". Each was passed, unless these say never.
func checkMarked(t *testing.T, lines []string, blocks []trace.Block, counts []int64) {
	t.Helper()
	var got []int
	for i, b := range blocks {
		if b.Kind != trace.BlockInside || (counts[i] == 0) != strings.HasSuffix(lines[b.StartLine-1], "// < never passed") {
			t.Errorf("line %d: a position of kind %d was passed %d times", b.StartLine, b.Kind, counts[i])
		}
		got = append(got, b.StartLine)
	}
	for i, line := range lines {
		if has := slices.Contains(got, i+1); has != strings.Contains(line, "// <") {
			t.Errorf("line %d: has a position: %v", i+1, has)
		}
	}
}
