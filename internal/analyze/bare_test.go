package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// The page of a test names the files of its package that were not recorded, each once.
func TestBare(t *testing.T) {
	an := &Analyzer{Meta: Meta{Bare: map[string][]string{"m/a": {"a.go is not recorded"}, "m/b": {"b.go is not recorded"}}}}
	x := &finding.Test{Package: "m/a"}
	an.noteBare(x)
	an.noteBare(x)
	if len(x.Warnings) != 1 || x.Warnings[0] != "a.go is not recorded" {
		t.Errorf("%q, want that of m/a", x.Warnings)
	}
}
