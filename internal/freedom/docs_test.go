package freedom

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/golden"
)

// head is above the rows.
const head = "| kind | what varies | where that is granted |\n|---|---|---|\n"

// table returns the catalogue as the rows of a Markdown table. fdebug help perturbations says why
// each kind is legal.
func table() string {
	var b strings.Builder
	for _, k := range Settable() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.Name, k.Varies, k.Source)
	}
	return b.String()
}

// TestDocs checks that docs/experiments.md has the catalogue.
func TestDocs(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "experiments.md")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(b), head)
	_, after, _ := strings.Cut(rest, "\n\n")
	if !found || strings.HasPrefix(rest, "\n") {
		after = strings.TrimPrefix(rest, "\n")
	}
	golden.File(t, file, before+head+strings.TrimSuffix(table(), "\n")+"\n\n"+after)
}
