package analyze

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

const chooser = `package m

import (
	"maps"
	"math/rand/v2"
	"sync"
)

func made() map[int]bool { return map[int]bool{1: true, 2: true} }

func sum() (n int) {
	for k := range made() {
		n += k
	}
	return n
}

func roll() int {
	a := rand.IntN(6)
	return a
}

func keys(m map[int]bool) (list []int) {
	list = append(list, 0)
	return slices(maps.Keys(m))
}

func slices(func(func(int) bool)) []int { return nil }

var counts sync.Map

func count(name string) {
	counts.Store(name, 1)
}

func names(f func(name, _ any) bool) {
	counts.Range(f)
}
`

// TestChoices: a choice that is made once a function has come back is its caller's.
func TestChoices(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": chooser} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	plan, err := instrument.Prepare(context.Background(), instrument.Config{
		Dir: dir, Patterns: []string{"./..."}, Out: t.TempDir(), Cache: t.TempDir(), Runtime: instrument.RuntimeModule,
	})
	if err != nil {
		t.Fatal(err)
	}
	an := &Analyzer{Sites: plan.Sites, Dir: t.TempDir()}
	an.sources = newSourceKeeper(an.Dir, dir)
	block := func(line int) int {
		for b := range plan.Sites.Blocks {
			if span, ok := plan.Sites.Pos(b); ok && span.Start == line {
				return b
			}
		}
		t.Fatal("no block at line", line)
		return 0
	}
	choices := func(kind trace.ActKind, line int) []finding.Span {
		p := proof.Proof{Plan: proof.Acts{{Kind: kind.String(), At: &proof.Place{Block: block(line)}}}}
		an.show(t.Context(), &p)
		return p.Where()
	}
	for _, c := range []struct {
		kind trace.ActKind
		line int
		want finding.Span
	}{
		{trace.ActMap, 9, finding.Span{File: "m.go", Start: 12, End: 12}},
		{trace.ActRand, 19, finding.Span{File: "m.go", Start: 19, End: 19}},
		{trace.ActMap, 24, finding.Span{File: "m.go", Start: 25, End: 25}}, // in maps.Keys
		{trace.ActMap, 33, finding.Span{File: "m.go", Start: 37, End: 37}}, // the seed is drawn before
	} {
		if got := choices(c.kind, c.line); !slices.Equal(got, []finding.Span{c.want}) {
			t.Errorf("%v after line %d: got %+v, want %+v", c.kind, c.line, got, c.want)
		}
	}
}
