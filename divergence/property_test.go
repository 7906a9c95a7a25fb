package divergence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// stream returns n random events, with so few different ones that common parts are long.
func stream(r *rand.Rand, n int) []trace.Event {
	e := make([]trace.Event, n)
	for i := range e {
		e[i] = trace.Event(1 + r.IntN(3))
	}
	return e
}

// family returns streams that share prefixes of random lengths, some across
// chunk boundaries, some equal, some a prefix of another.
func family(r *rand.Rand, n int) [][]trace.Event {
	list := [][]trace.Event{stream(r, r.IntN(20000))}
	for len(list) < n {
		base := list[r.IntN(len(list))]
		keep := 0
		if len(base) > 0 {
			keep = r.IntN(len(base) + 1)
		}
		s := slices.Clone(base[:keep])
		switch r.IntN(4) {
		case 0: // a prefix
		case 1:
			s = slices.Clone(base)
		default:
			s = append(s, stream(r, r.IntN(10000))...)
		}
		list = append(list, s)
	}
	return list
}

func naive(a, b []trace.Event) int64 {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return int64(i)
}

// The trie's point is the one of the naive quadratic algorithm: the longest common prefix with
// any other stream, and the streams that reach it.
func TestTrieAgainstNaive(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		all := family(r, 2+r.IntN(12))
		f, passes := all[len(all)-1], all[:len(all)-1]
		var gs []*trace.Goroutine
		var runs []int
		for i, p := range passes {
			gs, runs = append(gs, trace.NewGoroutine(1, "TestX", p)), append(runs, 10*i)
		}
		trie := newTrie(gs, runs)
		checkPoint(t, trie, f, -1, passes, runs)
		for i, p := range passes { // leave one out
			if len(passes) > 1 {
				others := slices.Delete(slices.Clone(passes), i, i+1)
				checkPoint(t, trie, p, runs[i], others, slices.Delete(slices.Clone(runs), i, i+1))
			}
		}
	}
}

func checkPoint(t *testing.T, trie *trie, f []trace.Event, skip int, passes [][]trace.Event, runs []int) {
	t.Helper()
	got := trie.leave(trace.NewGoroutine(1, "TestX", f), skip)
	best := int64(-1)
	var with []int
	same := false
	for i, p := range passes {
		n := naive(f, p)
		if n > best {
			best, with = n, nil
		}
		if n == best {
			with = append(with, runs[i])
		}
		same = same || slices.Equal(f, p)
	}
	if got.pos != best || got.left == same {
		t.Fatalf("point %d, left %v; want %d, left %v", got.pos, got.left, best, !same)
	}
	if got.left && !slices.Equal(got.with, with) {
		t.Fatalf("shared with %v, want %v", got.with, with)
	}
	at := func(s []trace.Event, i int64) trace.Event {
		if i < 0 || i >= int64(len(s)) {
			return 0
		}
		return s[i]
	}
	other := at(passes[slices.Index(runs, with[0])], best)
	if got.left && (got.last != at(f, best-1) || got.next != at(f, best) || got.other != other) {
		t.Fatalf("last %d, next %d, other %d; want %d, %d, %d", got.last, got.next, got.other,
			at(f, best-1), at(f, best), other)
	}
}

// common agrees with the naive algorithm.
func TestCommonAgainstNaive(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		all := family(r, 2)
		a, b := trace.NewGoroutine(1, "", all[0]), trace.NewGoroutine(1, "", all[1])
		if got, want := common(a, b), naive(all[0], all[1]); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	}
}

// Without loops and noise, Analyze finds Algorithm 1's point.
func TestAnalyzeIsAlgorithm1(t *testing.T) {
	s := straight(4)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		base := stream(r, 1+r.IntN(15000))
		cut := r.IntN(len(base))
		var runs []Run
		for i := range 8 {
			runs = append(runs, oneRun(i, false, base))
		}
		fail := append(slices.Clone(base[:cut]), 4)
		for i := range 4 {
			runs = append(runs, oneRun(8+i, true, fail))
		}
		a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: s})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Chain) != 1 || a.Chain[0].CommonPrefix != int64(cut) || a.Chain[0].FailNext != 4 ||
			a.Chain[0].PassNext != base[cut] || !a.Chain[0].Table.Perfect() {
			t.Fatalf("chain %+v, cut at %d", a.Chain, cut)
		}
	}
}

// straight returns sites with n blocks of one function, without loops.
func straight(n int) *trace.Sites {
	s := &trace.Sites{Files: make([]trace.File, 1), Funcs: make([]trace.Func, 1), Blocks: make([]trace.Block, 1)}
	for i := range n {
		s.Blocks = append(s.Blocks, trace.Block{Kind: trace.BlockNext, StartLine: i + 1, EndLine: i + 1})
	}
	return s
}

func oneRun(n int, failed bool, events []trace.Event) Run {
	g := trace.NewGoroutine(1, "TestX", events)
	g.Root = true
	return Run{N: n, Failed: failed, Trace: &trace.Trace{Goroutines: []*trace.Goroutine{g}}}
}

// Whatever the streams, the order of the runs does not matter, nothing panics, and the fields of
// a divergence are consistent.
func TestRandomStreams(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		in := Input{Test: "TestX", Sites: randomSites(r)}
		n := 2 + r.IntN(8)
		for i := range n {
			in.Runs = append(in.Runs, oneRun(i, i < 1+r.IntN(n-1), randomWalk(r, len(in.Sites.Blocks)+1)))
		}
		in.Runs[0].Failed, in.Runs[n-1].Failed = true, false
		a, err := Analyze(in)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(in.Runs)
		b, err := Analyze(in)
		if err != nil {
			t.Fatal(err)
		}
		if x, y := summary(in.Sites, a), summary(in.Sites, b); x != y {
			t.Fatalf("seed %d: order of runs matters:\n%s\n%s", seed, x, y)
		}
		for _, d := range a.Chain {
			checkDivergence(t, in, d)
		}
	}
}

func checkDivergence(t *testing.T, in Input, d *Divergence) {
	t.Helper()
	if d.Table.Total() != len(in.Runs) || d.P != d.Table.Fisher() {
		t.Fatalf("table %+v, p %v", d.Table, d.P)
	}
	if got := eventAt(d.Goroutine, d.CommonPrefix); d.CommonPrefix > d.Goroutine.Len() || d.Exact && d.Iteration > 0 && got == 0 && d.FailNext != 0 {
		t.Fatalf("prefix %d of %d", d.CommonPrefix, d.Goroutine.Len())
	}
}

// randomSites returns a table of a few functions with all kinds of blocks.
func randomSites(r *rand.Rand) *trace.Sites {
	s := &trace.Sites{Files: make([]trace.File, 1), Blocks: make([]trace.Block, 1)}
	for fn := range 3 {
		s.Funcs = append(s.Funcs, trace.Func{Name: string(rune('a' + fn))})
		for i := range 6 {
			kind := trace.BlockKind(1 + r.IntN(7))
			if i == 0 {
				kind = trace.BlockEntry
			}
			s.Blocks = append(s.Blocks, trace.Block{Func: fn, Kind: kind, StartLine: 10*fn + i, EndLine: 10*fn + i})
		}
	}
	return s
}

func randomWalk(r *rand.Rand, n int) []trace.Event {
	e := make([]trace.Event, r.IntN(400))
	for i := range e {
		if e[i] = trace.Event(1 + r.IntN(n)); r.IntN(50) == 0 {
			e[i] = trace.CheckEvent(trace.CheckKind(r.IntN(4)), uint32(r.IntN(3)))
		}
	}
	return e
}
