package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// Operands with the same values in as many runs share a row; where the data
// diverged comes first.
func TestValuesShareRow(t *testing.T) {
	v := newViewer(&finding.Result{Sites: &trace.Sites{Blocks: make([]trace.Block, 1)}})
	one, two := numbersSeen(1, 1, 2), numbersSeen(7)
	rows := v.values(&finding.Failure{
		Values: []finding.Value{
			{Expr: "a", Passing: one, Failing: two},
			{Expr: "b", Passing: one, Failing: one},
			{Expr: "c", Passing: one, Failing: two},
		},
		Data: []finding.DataDivergence{
			{Expr: "unsure"}, // has no values
			{Expr: "rand.Int()", Kind: finding.DataValue, Found: &divergence.DataDivergence{Nth: 1}, Passing: one, Failing: two},
		},
	})
	var got []string
	for _, r := range rows {
		var names []string
		for _, n := range r.Names {
			names = append(names, n.Expr)
		}
		got = append(got, strings.Join(names, "="))
	}
	if want := "rand.Int()=a=c b"; strings.Join(got, " ") != want {
		t.Errorf("rows %q, want %s", got, want)
	}
}

// An operand is named once, though it is also what the values first differ at.
func TestValuesNamedOnce(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result())
	one, two := numbersSeen(1, 1, 2), numbersSeen(7)
	rows := v.values(&finding.Failure{
		Values: []finding.Value{
			{Expr: "n", At: rngGo(8), Source: "math/rand/v2", Passing: one, Failing: two},
			{Expr: "n", At: rngGo(9), Passing: one, Failing: two},
		},
		Data: []finding.DataDivergence{{Expr: "n", At: rngGo(8), Passing: one, Failing: two}},
	})
	if len(rows) != 1 {
		t.Fatalf("%d rows, want 1", len(rows))
	}
	var got []string
	for _, n := range rows[0].Names {
		got = append(got, n.Expr+" "+n.Place.String())
	}
	if want := "n rng/rng.go:8; n rng/rng.go:9"; strings.Join(got, "; ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

// Of many texts some are shown, with how many runs had the others.
func TestCells(t *testing.T) {
	v := newViewer(&finding.Result{Sites: &trace.Sites{Blocks: make([]trace.Block, 1)}})
	for _, c := range []struct {
		name        string
		first, kind int // runs of the first value, different values
		want        string
	}{
		{"few", 3, 2, `"v0" ×3, "v1" ×1`},
		{"no two alike", 1, 20, `"v0" ×1, "v1" ×1, "v2" ×1, 17 more values in 17 runs`},
		{"many", 4, 10, `"v0" ×4, "v1" ×1, "v2" ×1, "v3" ×1, "v4" ×1, "v5" ×1, "v6" ×1, "v7" ×1, 2 more values in 2 runs`},
	} {
		var list []finding.Seen
		for i := range c.kind {
			s := finding.Seen{Text: fmt.Sprintf("%q", fmt.Sprint("v", i)), Runs: []int{i}}
			if i == 0 {
				s.Runs = make([]int, c.first)
			}
			list = append(list, s)
		}
		var parts []string
		for _, cell := range v.cells(list, nil) {
			parts = append(parts, strings.TrimSpace(cell.Text+" "+cell.N))
		}
		if got := strings.Join(parts, ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Of more than five numbers the least and the greatest are shown, durations among them.
func TestCellsOfNumbers(t *testing.T) {
	v := newViewer(&finding.Result{})
	var list []finding.Seen
	for i, s := range []string{"12ms", "1.5s", "2µs", "0s", "3ms"} {
		list = append(list, finding.Seen{Text: s, Runs: []int{2 * i, 2*i + 1}})
	}
	if got := v.cells(list, nil); len(got) != 5 {
		t.Errorf("of five %v", got)
	}
	more := append(list, finding.Seen{Text: "4ms", Runs: []int{10}})
	if got := fmt.Sprint(v.cells(more, nil)); got != "[{0s to 1.5s in 11 runs }]" {
		t.Errorf("of six %s", got)
	}
	if got := v.cells(append(more, finding.Seen{Text: `"none"`, Runs: []int{11}}), nil); len(got) != 7 {
		t.Errorf("of six and a text %v", got)
	}
}

// Of long values the beginning is shown. Those that are the same as far as that goes, and not after it, say
// so, or a value that failing runs have would seem to be that of the passing ones.
func TestCellsThatLookAlike(t *testing.T) {
	v := newViewer(&finding.Result{})
	w := v.value(valueInput{
		passing: []finding.Seen{{Text: `"same…`, Runs: []int{1, 2}, Hash: 7}, {Text: `"one"`, Runs: []int{5}, Hash: 9}},
		failing: []finding.Seen{{Text: `"same…`, Runs: []int{3}, Hash: 8}, {Text: `"same…`, Runs: []int{4}, Hash: 7}, {Text: `"one"`, Runs: []int{6}, Hash: 9}},
	})
	for i, want := range []string{
		`[{"same… ×2 (value 1 of 2 that differ further on)} {"one" ×1}]`,
		`[{"same… ×1 (value 2 of 2 that differ further on)} {"same… ×1 (value 1 of 2 that differ further on)} {"one" ×1}]`,
	} {
		if got := fmt.Sprint(w.Sides[i].Cells); got != want {
			t.Errorf("%s: %s, want %s", w.Sides[i].Word, got, want)
		}
	}
}

// valueTable is the table of values in Markdown.
func valueTable(t *testing.T, f *failureView) string {
	t.Helper()
	m := &mdWriter{room: 1 << 10}
	err := m.parse(newViewer(&finding.Result{}))
	f.How = &howView{}
	s, err2 := m.render("how", f)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return s
}

// A value with a bar or a backtick stays within its cell of a Markdown table.
func TestMarkdownCell(t *testing.T) {
	side := valueSide{Cells: []seenView{{"a|b`c", "×2"}, {"3 more values in 3 runs", ""}}}
	got := valueTable(t, &failureView{Values: []valueView{{Names: []valueName{{}}, Sides: [2]valueSide{side}}}})
	if want := "| `` a\\|b`c `` ×2, 3 more values in 3 runs |"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A row that has not all of the runs says of how many it is: 20 of 29 passing runs and all
// three failing ones came to n, all of both to m.
func TestValuesSayHowMany(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result())
	test := f.rng()
	seen := func(text string, runs int) []finding.Seen {
		return []finding.Seen{{Text: text, Runs: make([]int, runs)}}
	}
	fail := &finding.Failure{
		ForValues: finding.Outcomes{Passed: 29, Failed: 3},
		Values: []finding.Value{
			{Expr: "n", Passing: seen("0", 20), Failing: seen("1", 3)},
			{Expr: "m", Passing: seen("0", 29), Failing: seen("1", 3)},
			{Expr: "s", Passing: seen("nil", 28), Failing: seen("x", 2)},
		},
	}
	v.t = test
	rows := v.values(fail)
	got := valueTable(t, &failureView{Values: rows, ValuesOf: say.ValuesOf.With(say.Count(32), say.Count(29), say.Count(3))})
	for _, want := range []string{
		"recorded in 32 more runs: 29 passed, 3 failed\n", "`0` ×20 (20 of 29) |", "`1` ×3 |", "`0` ×29 |",
		"`nil` ×28 (28 of 29) | `x` ×2 (2 of 3)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestWordingsLeftOut(t *testing.T) {
	v := newViewer(newFixture(t).result())
	got := v.wordings(&finding.Failure{Wordings: []finding.Wording{{Text: "closed", Runs: 2}}, MoreWordings: 3})
	if want := "[{closed in 2 runs} { 3 more wordings left out}]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
