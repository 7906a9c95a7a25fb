package source

import (
	"slices"
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

// The runtime numbers cases that send before those that receive, and these from the last one.
func TestCases(t *testing.T) {
	const src = `package p

func f(a, b, c chan int) {
	select {
	case <-a:
	case b <- 1:
	case x, ok := <-c:
		select {
		case a <- x:
		default:
		}
	case c <- 2:
	}
	for {
		select {}
	}
}
`
	f, err := syntax.Parse("p.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start, end int
		want       []int
	}{{4, 4, []int{6, 12, 7, 5}}, {8, 8, []int{9}}, {4, 8, nil}, {15, 15, nil}, {1, 3, nil}} {
		if got := Cases(f, trace.Span{File: "p.go", Start: c.start, End: c.end}); !slices.Equal(got, c.want) {
			t.Errorf("lines %d to %d: %v, want %v", c.start, c.end, got, c.want)
		}
	}
}
