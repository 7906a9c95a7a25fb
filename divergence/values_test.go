package divergence

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// valueRun is a value case: TestX runs blocks 1 and 2, where it records values, and then block 3
// if it passes, or block 4 and a failed check if it fails.
func valueRun(n int, failed bool, values ...trace.Value) Run {
	events := []trace.Event{1, 2, 3}
	if failed {
		events = []trace.Event{1, 2, 4, trace.CheckEvent(trace.CheckFail, 9)}
	}
	g := trace.NewGoroutine(1, "TestX", events)
	g.Root, g.Start, g.End, g.Values = true, 10, 120, values
	return Run{N: n, Failed: failed, Trace: &trace.Trace{Goroutines: []*trace.Goroutine{g}, Stacks: map[uint32][]trace.Frame{}}}
}

// series1 returns the values of one site, in order.
func series1(site int, texts ...string) []trace.Value {
	var list []trace.Value
	for i, s := range texts {
		h := uint64(len(s)) + 1
		for _, c := range s {
			h = h*31 + uint64(c)
		}
		list = append(list, trace.Value{Site: site, Nth: i, Pos: 2, Hash: h, Text: s})
	}
	return list
}

var valueSites = []ValueSite{
	{}, {Kind: ValueOperand, Expr: "n", Decides: 2, From: []int{2}},
	{Kind: ValueCall, Expr: "rand.IntN(100)", Source: "math/rand"},
	{Kind: ValueCall, Expr: "next()", Source: "a queue"},
	{Kind: ValueCall, Expr: "time.Now()", Source: "the clock"},
}

func analyzeValues(t *testing.T, runs []Run) *Analysis {
	t.Helper()
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites(), Values: valueSites})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// In passing runs n was 1 or 2, and in failing runs 7. Values after the runs diverged do not
// count.
func TestOperands(t *testing.T) {
	var runs []Run
	for n := range 6 {
		late := trace.Value{Site: 1, Nth: 1, Pos: 3, Hash: 99, Text: "99"}
		runs = append(runs, valueRun(n+1, false, append(series1(1, fmt.Sprint(1+n/4)), late)...))
	}
	for n := range 4 {
		runs = append(runs, valueRun(n+7, true, series1(1, "7")...))
	}
	a := analyzeValues(t, runs)
	if len(a.Operands) != 1 {
		t.Fatalf("operands %+v, want n", a.Operands)
	}
	o := a.Operands[0]
	if got, want := fmt.Sprint(texts(o.Passing), texts(o.Failing)), "[1x4 2x2] [7x4]"; got != want || o.Site != 1 || o.Apart != 1 {
		t.Errorf("site %d, %s, apart %g; want %s", o.Site, got, o.Apart, want)
	}
}

// Failing runs leave a loop after one or two rounds, and passing runs after three or four. The
// values with which they go their way are from different rounds, and those of the first round are
// the first of several.
func TestValuesOfRounds(t *testing.T) {
	run := func(n int, failed bool, rounds int) Run {
		r := valueRun(n, failed)
		events := []trace.Event{1}
		var values []trace.Value
		for k := range rounds {
			events = append(events, 2)
			x, i := series1(2, fmt.Sprint(100*rounds+n))[0], series1(1, fmt.Sprint(k))[0]
			x.Nth, i.Nth = k, k
			x.Pos, i.Pos = int64(len(events)), int64(len(events))
			values = append(values, x, i)
		}
		if events = append(events, 3); failed {
			events = append(events[:len(events)-1], 4, trace.CheckEvent(trace.CheckFail, 9))
		}
		g := trace.NewGoroutine(1, "TestX", events)
		g.Root, g.Start, g.End, g.Values = true, 10, 120, values
		r.Trace.Goroutines = []*trace.Goroutine{g}
		return r
	}
	var runs []Run
	for n := range 10 {
		runs = append(runs, run(2*n+1, false, 3+n%2), run(2*n+2, true, 1+n%2))
	}
	a := analyzeValues(t, runs)
	if len(a.Operands) != 1 || !a.Operands[0].Unlike || a.Operands[0].Nth != -1 {
		t.Errorf("operands %+v, want those of different rounds", a.Operands)
	}
	if d := a.Data; d == nil || d.Nth != 0 || !d.Several {
		t.Errorf("data %+v, want the first value of several", d)
	}
}

func texts(list []Seen) []string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%sx%d", s.Text, len(s.Runs)))
	}
	return out
}

// An operand that is the same equally often, and one that differs in each run without being
// greater or smaller, say nothing.
func TestOperandsUntelling(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"same":    func(n int) string { return "x" },
		"unalike": func(n int) string { return fmt.Sprintf("%q", fmt.Sprint("id", n*7919%1000)) },
		"mixed":   func(n int) string { return fmt.Sprint(n * 7919 % 1000) },
	} {
		var runs []Run
		for n := range 20 {
			runs = append(runs, valueRun(n+1, n%2 == 0, series1(1, text(n))...))
		}
		if a := analyzeValues(t, runs); len(a.Operands) != 0 {
			t.Errorf("%s: %+v", name, a.Operands)
		}
	}
}

// A random number from 50 on fails. That is found, though all numbers differ.
func TestDataLimit(t *testing.T) {
	var runs []Run
	for n := range 20 {
		x := n * 37 % 100
		runs = append(runs, valueRun(n+1, x >= 50, series1(2, fmt.Sprint(x))...))
	}
	d := analyzeValues(t, runs).Data
	if d == nil || d.Site != 2 || d.Rule != RuleBelow || d.Nth != 0 || extreme(d.Passing, slices.Max[[]float64]) != 48 || extreme(d.Failing, slices.Min[[]float64]) != 55 || !d.Table.Perfect() {
		t.Fatalf("got %+v, want 48 and 55 on either side of the limit", d)
	}
}

// extreme returns the least or the greatest of some numbers.
func extreme(list []Seen, of func([]float64) float64) float64 {
	var all []float64
	for _, s := range list {
		x, _ := s.Number()
		all = append(all, x)
	}
	return of(all)
}

// A run fails if any of four calls returns less than 10.
func TestDataExtreme(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var runs []Run
	for n := range 30 {
		var list []string
		least := 100
		for range 4 {
			x := r.IntN(60)
			least = min(least, x)
			list = append(list, fmt.Sprint(x))
		}
		runs = append(runs, valueRun(n+1, least < 10, series1(2, list...)...))
	}
	d := analyzeValues(t, runs).Data
	if d == nil || d.Rule != RuleBelow || d.Nth != -1 || extreme(d.Failing, slices.Max[[]float64]) > 15 {
		t.Fatalf("got %+v, want the least of all values below about 10", d)
	}
}

// The first key decides.
func TestDataEqual(t *testing.T) {
	var runs []Run
	for n := range 24 {
		keys := [][]string{{"a", "b", "c"}, {"b", "c", "a"}, {"c", "a", "b"}}[n%3]
		runs = append(runs, valueRun(n+1, n%3 == 1, series1(3, keys...)...))
	}
	d := analyzeValues(t, runs).Data
	if d == nil || d.Site != 3 || !d.Table.Perfect() {
		t.Fatalf("got %+v, want what the first key was", d)
	}
}

// Random numbers, map orders and clocks that have nothing to do with the outcome are not
// reported, except for a few of 200 tries, by chance.
func TestDataNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	found := 0
	for range 200 {
		var runs []Run
		for n := range 24 {
			keys := []string{"a", "b", "c", "d"}
			r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			var values []trace.Value
			values = append(values, series1(2, fmt.Sprint(r.IntN(6)), fmt.Sprint(r.IntN(1000)))...)
			values = append(values, series1(3, keys...)...)
			values = append(values, series1(4, fmt.Sprintf("2026-11-20T12:00:%02d.%09dZ", n, r.IntN(1e9)))...)
			runs = append(runs, valueRun(n+1, r.IntN(2) == 0 || n == 0, values...))
		}
		runs = append(runs, valueRun(25, false))
		if d := analyzeValues(t, runs).Data; d != nil {
			found++
			t.Logf("%+v", d)
		}
	}
	if found > 4 {
		t.Errorf("found %d causes in noise, of 200", found)
	}
}

// A loop that ends at the key it looks for sees the order of one map.
func TestDataEndsEarly(t *testing.T) {
	var runs []Run
	for n := range 24 {
		keys := [][]string{{"a", "b", "c"}, {"b", "c"}, {"c"}}[n%3]
		runs = append(runs, valueRun(n+1, n%3 == 2, series1(3, keys...)...))
	}
	if d := analyzeValues(t, runs).Data; d == nil || d.Site != 3 || !d.Table.Perfect() {
		t.Errorf("got %+v, want what the first key was", d)
	}
}

// Failing runs got a map with one key, most passing runs one with another key in second place.
// That there is no second key is not due to the order.
func TestDataFewerKeys(t *testing.T) {
	var runs []Run
	for n := range 16 {
		keys := []string{"leader", "epoch"}
		if n%8 == 0 {
			keys = []string{"epoch", "leader"}
		}
		runs = append(runs, valueRun(n+1, false, series1(3, keys...)...))
	}
	for n := range 8 {
		runs = append(runs, valueRun(n+17, true, series1(3, "leader")...))
	}
	if d := analyzeValues(t, runs).Data; d != nil {
		t.Errorf("got %+v, want nothing", d)
	}
}

// An operand that was read in an earlier iteration, and not in the one in which the runs diverge,
// is not an operand of that divergence: in failing runs block 2 ran again after the value was
// recorded.
func TestOperandOfEarlierPass(t *testing.T) {
	var runs []Run
	for n := range 12 {
		failed, text := n%2 == 0, fmt.Sprint(n%2)
		runs = append(runs, valueRun(n+1, failed, trace.Value{Site: 1, Pos: 1 + int64(n%2), Hash: uint64(n % 2), Text: text}))
	}
	sites := []ValueSite{{}, {Kind: ValueOperand, Expr: "n", Decides: 2, File: "p/a.go", Line: 2}}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites(), Values: sites})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Operands) != 0 {
		t.Errorf("compared the values of different iterations: %+v", a.Operands)
	}
}

// If the runs do not diverge like those for which an operand was chosen, it is compared call by
// call: the last call of failing runs with the same call of passing runs. If failing runs do not
// agree on that call, nothing is compared.
func TestOperandsByCall(t *testing.T) {
	at := func(failed bool, n, calls int) Run {
		list := []string{"0", "1", "2", "3"}
		if failed {
			list[1] = "bad"
		}
		return valueRun(n, failed, series1(1, list[:calls]...)...)
	}
	sites := []ValueSite{{}, {Kind: ValueOperand, Expr: "n", Decides: 7, File: "p/a.go", Line: 2}}
	for want, calls := range map[string]int{"[1x6] [badx4] 1": 2, "none": 3} {
		var runs []Run
		for n := range 6 {
			runs = append(runs, at(false, n+1, 4))
		}
		for n, c := range []int{calls, 2, 2, 2} {
			runs = append(runs, at(true, n+7, c))
		}
		a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites(), Values: sites})
		if err != nil {
			t.Fatal(err)
		}
		got := "none"
		if len(a.Operands) == 1 {
			o := a.Operands[0]
			got = fmt.Sprint(texts(o.Passing), texts(o.Failing), o.Nth)
		}
		if got != want {
			t.Errorf("the last of %d calls in one failing run: got %s, want %s", calls, got, want)
		}
	}
}

// What a run reads only after it has failed is not in the table: five of six failing runs come to
// the site after the failed check, which is event 4, and all passing runs come there.
func TestOperandsAfterFailure(t *testing.T) {
	var runs []Run
	for n := range 12 {
		failed := n%2 == 0
		list := series1(1, fmt.Sprint(n%2))
		if failed && n > 0 {
			list[0].Pos = 4
		}
		runs = append(runs, valueRun(n+1, failed, list...))
	}
	sites := []ValueSite{{}, {Kind: ValueOperand, Expr: "n", Decides: 7, File: "p/a.go", Line: 2}}
	a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: orderSites(), Values: sites})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range a.Operands {
		if got := fmt.Sprint(texts(o.Failing)); got != "[0x1]" {
			t.Errorf("failing runs had %s, want that of the run that looked before it failed", got)
		}
	}
	if len(a.Operands) != 1 {
		t.Errorf("%d operands, want 1", len(a.Operands))
	}
}

// An operand counts in all runs that came to where they diverge: in two passing runs that go the
// way of the failing ones, and in failing runs at another pass than most of them.
func TestOperandsOfAllRuns(t *testing.T) {
	run := func(n int, failed bool, ways string) Run {
		r := valueRun(n, failed)
		events := []trace.Event{1}
		var values []trace.Value
		for k, way := range ways {
			x := series1(1, string(way))[0]
			events = append(events, 2)
			x.Nth, x.Pos = k, int64(len(events))
			values, events = append(values, x), append(events, map[rune]trace.Event{'0': 3, '1': 4}[way])
		}
		if failed {
			events = append(events, trace.CheckEvent(trace.CheckFail, 9))
		}
		g := trace.NewGoroutine(1, "TestX", events)
		g.Root, g.Start, g.End, g.Values = true, 10, 120, values
		r.Trace.Goroutines = []*trace.Goroutine{g}
		return r
	}
	for _, tt := range []struct {
		name          string
		passing, fail []string // the ways that runs go
		want          string
	}{
		{"the other way", []string{"0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "1", "1"},
			[]string{"1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1", "1"}, "[0x10 1x2] [1x12]"},
		{"another pass", []string{"1000", "1000", "1000", "1000", "1000", "1000", "1000", "1000", "1000", "1000"},
			[]string{"1100", "1100", "1100", "1100", "1010", "1010", "1010", "1001", "1001", "1001", "1001", "1001"}, "[0x10] [1x12]"},
	} {
		var runs []Run
		for i, ways := range tt.passing {
			runs = append(runs, run(i+1, false, ways))
		}
		for i, ways := range tt.fail {
			runs = append(runs, run(i+30, true, ways))
		}
		sites := orderSites()
		sites.Blocks[2].Kind = trace.BlockLoop
		a, err := Analyze(Input{Test: "TestX", Runs: runs, Sites: sites, Values: valueSites})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Operands) != 1 {
			t.Errorf("%s: operands %+v, want n", tt.name, a.Operands)
			continue
		}
		if got := fmt.Sprint(texts(a.Operands[0].Passing), texts(a.Operands[0].Failing)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
