package divergence

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/alloc"
	"golang.org/x/tools/cover"
)

// TestDiffDamaged has profiles of less than 1 kB that name more lines than memory can hold. They
// are refused before they are processed.
func TestDiffDamaged(t *testing.T) {
	var many strings.Builder
	for i := range 30 {
		fmt.Fprintf(&many, "p/%d.go:1.1,30000.1 1 1\n", i)
	}
	for name, text := range map[string]string{
		"long":     "p/a.go:1.1,2000000000.1 1 1\n",
		"longest":  "p/a.go:0.1,9223372036854775807.1 1 1\n",
		"overflow": "p/a.go:0.1,9223372036854775807.1 1 1\np/a.go:0.2,9223372036854775807.1 1 1\np/b.go:0.1,9223372036854775807.1 1 1\n",
		"many":     many.String(),
		"not run":  "p/a.go:1.1,2000000000.1 1 0\n",
	} {
		p := [][]*cover.Profile{profiles(t, text)}
		good := [][]*cover.Profile{profiles(t, "p/a.go:1.1,9.1 1 1\n")}
		for _, sides := range [][2][][]*cover.Profile{{p, good}, {good, p}} {
			var err error
			if n := alloc.Bytes(func() { _, err = Diff(sides[0], sides[1]) }); n > 1<<20 {
				t.Errorf("%s: %d bytes allocated", name, n)
			}
			if !errors.Is(err, ErrCoverage) {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}

// TestDiffOdd has profiles that are odd but valid: line directives can make a block end before it
// begins, and data can fill a long block.
func TestDiffOdd(t *testing.T) {
	p := [][]*cover.Profile{profiles(t, "p/a.go:9.1,3.1 1 1\np/a.go:100.1,30100.1 1 1\n")}
	d, err := Diff(p, p)
	if err != nil || len(d.Files) != 1 || len(d.Files[0].Lines) != 30001 {
		t.Errorf("%v, %+v", err, d)
	}
}
