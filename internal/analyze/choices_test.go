package analyze

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

const chooser = `package m

import (
	"maps"
	"math/rand/v2"
	slices2 "slices"
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

func less(a, b int) int {
	return a - b
}

func sorted(list []int) {
	n := len(list)
	slices2.SortFunc(list[:n], less)
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
		Dir: dir, Patterns: []string{"./..."}, Out: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	an := &Analyzer{Sites: plan.Sites, Dir: t.TempDir()}
	an.sources = newSourceKeeper(an.Dir, dir, nil)
	block := func(line int) int {
		for b := range plan.Sites.Blocks {
			if span, ok := plan.Sites.Pos(b); ok && span.Start == line {
				return b
			}
		}
		t.Fatal("no block at line", line)
		return 0
	}
	choices := func(kind trace.ActKind, line int, path []int) []finding.Span {
		at := &proof.Place{Block: block(line)}
		for _, line := range path {
			b := block(line)
			at.Path = append(at.Path, divergence.Call{Func: plan.Sites.Blocks[b].Func, Block: b})
		}
		p := proof.Proof{Plan: proof.Acts{{Kind: kind, At: at}}}
		an.Explain(t.Context(), &p)
		return p.Where()
	}
	for _, c := range []struct {
		kind trace.ActKind
		line int
		path []int // lines of the blocks that lead there
		want int
	}{
		{trace.ActMap, 10, nil, 13},
		{trace.ActRand, 20, nil, 20},
		{trace.ActMap, 25, nil, 26},           // in maps.Keys
		{trace.ActMap, 34, nil, 38},           // the seed is drawn before
		{trace.ActMap, 42, []int{46, 42}, 47}, // in what calls back
		{trace.ActMap, 42, nil, 42},
	} {
		want := []finding.Span{{File: "m.go", Start: c.want, End: c.want}}
		if got := choices(c.kind, c.line, c.path); !slices.Equal(got, want) {
			t.Errorf("%v after line %d: got %+v, want %+v", c.kind, c.line, got, want)
		}
	}
}
