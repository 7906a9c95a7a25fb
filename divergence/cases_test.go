package divergence

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what is found into testdata")

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
			if *update {
				updateCase(t, file, ar, got)
				return
			}
			want := ar.Files[len(ar.Files)-1]
			if diff := cmp.Diff(string(want.Data), got); want.Name != "want" || diff != "" {
				t.Errorf("analysis differs (-want +got):\n%s", diff)
			}
		})
	}
}

func updateCase(t *testing.T, file string, ar *txtar.Archive, got string) {
	t.Helper()
	if n := len(ar.Files) - 1; ar.Files[n].Name == "want" {
		ar.Files = ar.Files[:n]
	}
	ar.Files = append(ar.Files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
		t.Fatal(err)
	}
}
