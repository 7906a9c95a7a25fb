package divergence

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
)

// TestCases analyses the hand-written traces in testdata. The comment of each works out the
// answer.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := parseCase(t, ar)
			a, err := Analyze(in)
			if err != nil {
				t.Fatal(err)
			}
			got := summary(in.Sites, a)
			golden.Section(t, file, "want", got)
		})
	}
}
