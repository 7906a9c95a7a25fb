package source

import (
	"testing"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// What a line draws is known if it is one call, and its limit if that is a constant.
func TestRandom(t *testing.T) {
	const src = `package p

import "math/rand/v2"

const letters = "abc" + "def"

func f(n int, r *rand.Rand) {
	if x := rand.IntN(len(letters)); x > 3 {
		_ = rand.Int64N(36 * 36)
	}
	_, _ = rand.IntN(6), rand.IntN(6)
	_ = rand.IntN(n)
	_ = rand.Float64()
	_ = r.IntN(4)
}
`
	f, err := syntax.Parse("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start, end int
		function   string
		limit      int64
	}{
		{8, 8, "v2.IntN", 6}, {9, 9, "v2.Int64N", 1296}, {8, 9, "", 0}, {11, 11, "", 0}, {12, 12, "v2.IntN", 0},
		{13, 13, "v2.Float64", 0}, {14, 14, "", 0},
	} {
		function, limit := Random(f, trace.Span{File: "p.go", Start: c.start, End: c.end})
		if function != c.function || limit != c.limit {
			t.Errorf("lines %d to %d: %q below %d, want %q below %d", c.start, c.end, function, limit, c.function, c.limit)
		}
	}
}
