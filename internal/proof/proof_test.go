package proof

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// An edit changes a statement at which a replay acts, and one that starts a goroutine: they
// are found by what stands there now, and the replay itself stays as it was.
func TestReworded(t *testing.T) {
	at := func(text string) *Place {
		return &Place{Text: text, Goroutine: &GoroutineRef{Chain: []Start{{Test: "TestX"}, {Text: "go feed(c)"}}}}
	}
	asked := Place{Text: "n := 0\nif _, err := c.r.Read(b); err != nil {"}
	r := &Proof{Plan: Acts{
		{Kind: trace.ActStall, At: at("c <- 1")}, {Kind: trace.ActOrder, At: at("x()"), Until: at("y()")}, {Kind: trace.ActGC, At: at("z()")},
		{Kind: trace.ActRead, What: freedom.ReadMost, At: &asked}, {Kind: trace.ActRead, What: freedom.ReadMost},
		{Kind: trace.ActMap, At: &Place{Text: "for k, v := range m {"}},
	}}
	if got := r.Reworded("", ""); got != r {
		t.Errorf("nothing was replaced: %+v", got)
	}
	read := r.Reworded("c.r.Read(b)", "io.ReadFull(c.r, b)")
	if got, want := read.Plan[3].At.Text, "n := 0\nif _, err := io.ReadFull(c.r, b); err != nil {"; got != want {
		t.Errorf("read: %q, want %q", got, want)
	}
	loop := r.Reworded("for v := range m", "for _, k := range slices.Sorted(maps.Keys(m))")
	if got := loop.Plan[5].At.Text; got != r.Plan[5].At.Text {
		t.Errorf("a text that stands nowhere was replaced: %q", got)
	}
	loop = r.Reworded("for k, v\n\t := range m", "for _, k := range slices.Sorted(maps.Keys(m))")
	if got, want := loop.Plan[5].At.Text, "for _, k := range slices.Sorted(maps.Keys(m)) {"; got != want {
		t.Errorf("loop: %q, want %q", got, want)
	}
	started := r.Reworded("go feed(c)", "go func() {")
	for i, p := range []*Place{started.Plan[0].At, started.Plan[1].At, started.Plan[1].Until, started.Plan[2].At} {
		if got := p.Goroutine.Started().Text; got != "go func() {" {
			t.Errorf("goroutine of place %d: %q", i, got)
		}
	}
	if asked.Text != "n := 0\nif _, err := c.r.Read(b); err != nil {" || r.Plan[0].At.Goroutine.Started().Text != "go feed(c)" {
		t.Errorf("the replay was changed: %+v", r)
	}
}

// What is no replay file, or one that was tampered with, is told apart.
func TestBadReplays(t *testing.T) {
	good := map[string]any{
		"fdebug_replay": 2, "package": "m", "test": "TestX", "smallest_ns": 5,
		"plan": []any{map[string]any{"kind": "stall", "dose_ns": 5, "at": map[string]any{"block": 3, "goroutine": map[string]any{"id": "7", "chain": []any{map[string]any{"test": "TestX"}}}}}},
	}
	with := func(edit func(m map[string]any)) string {
		data, _ := json.Marshal(good)
		var m map[string]any
		json.Unmarshal(data, &m)
		edit(m)
		data, _ = json.Marshal(m)
		return string(data)
	}
	at := func(m map[string]any) map[string]any {
		return m["plan"].([]any)[0].(map[string]any)["at"].(map[string]any)
	}
	for _, c := range []struct {
		name, content string
		want          error
	}{
		{"good", with(func(map[string]any) {}), nil},
		{"no JSON", "package m", ErrNotReplay},
		{"other JSON", `{"a": 1}`, ErrNotReplay},
		{"empty", "", ErrNotReplay},
		{"cut", `{"fdebug_replay": 1, "pack`, ErrDamaged},
		{"newer", with(func(m map[string]any) { m["fdebug_replay"] = 3 }), ErrVersion},
		{"no test", with(func(m map[string]any) { delete(m, "test") }), ErrDamaged},
		{"a test that is a path", with(func(m map[string]any) { m["test"] = "../../x" }), ErrDamaged},
		{"nothing to do", with(func(m map[string]any) { delete(m, "plan") }), ErrDamaged},
		{"it fails anyway, and a cure is known", with(func(m map[string]any) { m["always"], m["opposite"] = true, m["plan"]; delete(m, "plan") }), nil},
		{"it fails anyway, and passes by other choices", with(func(m map[string]any) { m["always"] = true; delete(m, "plan") }), nil},
		{"no block", with(func(m map[string]any) { delete(at(m), "block") }), ErrDamaged},
		{"a block below none", with(func(m map[string]any) { at(m)["block"] = -4 }), ErrDamaged},
		{"no goroutine", with(func(m map[string]any) { delete(at(m), "goroutine") }), ErrDamaged},
		{"of the wrong type", with(func(m map[string]any) { m["plan"] = "x" }), ErrDamaged},
		{"random stalls", with(func(m map[string]any) { m["plan"] = []any{map[string]any{"kind": "yield", "seed": "1"}} }), ErrVersion},
		{"a draw of no kind", with(func(m map[string]any) { m["plan"] = []any{map[string]any{"kind": "dice", "seed": "1"}} }), ErrDamaged},
		{"a window with one end", with(func(m map[string]any) { m["at"] = []any{at(m)} }), ErrDamaged},
		{"an order of one event", with(func(m map[string]any) {
			m["plan"] = []any{map[string]any{"kind": "order", "dose_ns": 5, "at": at(m), "until": at(m)}}
			m["at"] = []any{m["plan"].([]any)[0].(map[string]any)["at"]}
		}), ErrDamaged},
		{"nothing is set", with(func(m map[string]any) { m["plan"] = []any{map[string]any{"kind": "clock"}} }), ErrDamaged},
		{"below no time", with(func(m map[string]any) { m["smallest_ns"] = -1 }), ErrDamaged},
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// A file that has no lines to show has that of each place; one that has them keeps them.
func TestShow(t *testing.T) {
	const file = `{"fdebug_replay": 2, "package": "m", "test": "TestX", "plan": [{"kind": "stall", "dose_ns": 5, "at": {"file": "a.go", "line": 7, "block": 3, "goroutine": {"id": "7", "chain": [{"test": "TestX"}]}%s}}]}`
	for with, want := range map[string]Span{
		"": {File: "a.go", Start: 7, End: 7},
		`, "shown": {"file": "a.go", "start": 7, "end": 9}`: {File: "a.go", Start: 7, End: 9},
	} {
		p, err := parse(fmt.Appendf(nil, file, with))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Where(); len(got) != 1 || got[0] != want {
			t.Errorf("shown%s: %v, want %v", with, got, want)
		}
	}
}

// Choices decide where the plan makes them; where it makes all, those that the opposite makes otherwise; else where they
// are asked for. A control elsewhere says nothing, and the last one comes first.
func TestWhereChosen(t *testing.T) {
	all := Act{Kind: trace.ActMap, Seed: 1}
	at := func(line int) Act {
		return Act{Kind: trace.ActMap, Seed: 2, At: &Place{Shown: Span{File: "a.go", Start: line, End: line}}}
	}
	for _, c := range []struct {
		name                      string
		plan, opposite, elsewhere Acts
		asked                     []Place
		want                      []int
	}{
		{"one", Acts{at(3)}, Acts{at(3)}, Acts{at(9)}, nil, []int{3}},
		{"the same elsewhere lets it pass", Acts{at(3), at(5)}, Acts{at(9), at(5)}, nil, nil, []int{5, 3}},
		{"two, and all others by seeds", Acts{at(3), all}, Acts{all}, nil, nil, []int{3}},
		{"all, and one otherwise", Acts{all}, Acts{all, at(3)}, nil, nil, []int{3}},
		{"all, and there is one", Acts{all}, Acts{all}, nil, []Place{*at(3).At}, []int{3}},
		{"all", Acts{all}, Acts{all}, nil, nil, nil},
	} {
		p := &Proof{Plan: c.plan, Opposite: c.opposite, Elsewhere: c.elsewhere, At: c.asked, Decides: []string{"map"}}
		var got []int
		for _, s := range p.Where() {
			got = append(got, s.Start)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
