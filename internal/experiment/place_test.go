package experiment

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A version of a program: each line of its functions is a block.
type version struct {
	src   string
	sites *trace.Sites
	p     *profile
}

// newVersion returns a program of which a test starts goroutines at each line that
// begins with "go ".
func newVersion(src string) *version {
	v := &version{src: src, sites: &trace.Sites{Module: "m", Root: "/m", Files: []trace.File{{Path: "m.go"}}, Blocks: make([]trace.Block, 1)}, p: &profile{Runs: 1}}
	v.p.Goroutines = append(v.p.Goroutines, &goroutine{Goroutine: trace.Goroutine{ID: 1, Class: 1, Root: true, Test: "TestX"}, Runs: 1})
	nth := map[uint64]int{}
	for i, line := range strings.Split(src, "\n") {
		if name, ok := strings.CutPrefix(line, "func "); ok {
			v.sites.Funcs = append(v.sites.Funcs, trace.Func{Name: name[:strings.IndexByte(name, '(')]})
		}
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(line, "\t") {
			continue
		}
		v.sites.Blocks = append(v.sites.Blocks, trace.Block{Func: len(v.sites.Funcs) - 1, StartLine: i + 1, StartCol: 2, EndLine: i + 1, EndCol: len(line) + 1})
		if entry, ok := strings.CutPrefix(text, "go "); ok {
			class := uint64(len(v.p.Goroutines) + 10)
			g := &goroutine{Goroutine: trace.Goroutine{
				ID: trace.GoroutineID(100 + i), Parent: 1, Class: class, Test: "TestX",
				Spawn: trace.Frame{Func: "m.TestX", File: "/m/m.go", Line: i + 1}, Entry: trace.Frame{Func: "m." + entry[:strings.IndexByte(entry, '(')]},
			}, Nth: nth[class], Runs: 1}
			v.p.Goroutines = append(v.p.Goroutines, g)
		}
	}
	return v
}

func (v *version) finder() *finder {
	return newFinder(v.sites, func(string) ([]byte, error) { return []byte(v.src), nil }, v.p)
}

const before1 = `func TestX() {
	go work(1)
	go rest(2)
}
func work(n int) {
	lock()
	n++ // one
	n++
	unlock()
}
func rest(n int) {
	n--
}
`

// The goroutine of work, held at its second n++, found again after edits.
func TestPlaces(t *testing.T) {
	v := newVersion(before1)
	const block = 5 // the second n++
	if v.sites.Blocks[block].StartLine != 8 {
		t.Fatal("another block")
	}
	site := Site{G: perturb.Goroutine{ID: 101}, Event: 2, Block: block, Hit: 1, Class: 11}
	p := v.finder().place(site)
	if p.Func != "work" || p.Text != "n++" || p.Nth != 1 || p.Line != 8 || len(p.Goroutine.Chain) != 2 || p.Goroutine.Chain[1].Text != "go work(1)" {
		t.Fatalf("%+v with %+v", p, p.Goroutine)
	}
	for _, c := range []struct {
		name, src string
		line      int // 0: gone
		gone      string
	}{
		{"as it was", before1, 8, ""},
		{"moved down", "\n\n// A comment.\n" + before1, 11, ""},
		{"other comments and spaces", strings.Replace(before1, "n++ // one", "n++  // two", 1), 8, ""},
		{"one n++ less", strings.Replace(before1, "\tn++\n", "", 1), 7, ""},
		{"the go statement has another operand", strings.Replace(before1, "work(1)", "work(7)", 1), 8, ""},
		{"no n++", strings.Replace(strings.Replace(before1, "\tn++ // one\n", "", 1), "\tn++\n", "", 1), 0, "the statement `n++` of work, m.go is not there any more"},
		{"the function has another name", strings.ReplaceAll(before1, "work", "labour"), 0, "the statement `n++` of work, m.go is not there any more"},
		{"the goroutine is not started", strings.Replace(before1, "\tgo work(1)\n", "\twork(1)\n", 1), 0, "no goroutine is started by `go work(1)` in m.TestX any more"},
	} {
		now := newVersion(c.src)
		got, err := now.finder().find(p)
		if gone := (*GoneError)(nil); errors.As(err, &gone) != (c.gone != "") || err != nil && err.Error() != c.gone {
			t.Errorf("%s: error %v, want %q", c.name, err, c.gone)
		}
		if err == nil && (now.sites.Blocks[got.Block].StartLine != c.line || got.Hit != 1 || got.G.ID == 0) {
			t.Errorf("%s: %+v at line %d, want %d", c.name, got, now.sites.Blocks[got.Block].StartLine, c.line)
		}
	}
}

// TestPlaceOfVisit has whoever of two goroutines that are alike comes to a block for the
// 7th time: none of the sites of the profile.
func TestPlaceOfVisit(t *testing.T) {
	v := newVersion(before1)
	site := Site{G: perturb.Goroutine{Class: 11}, Block: 5, Hit: 7, ByHit: true, Class: 11}
	e := &Experimenter{Sites: v.sites, Source: func(string) ([]byte, error) { return []byte(v.src), nil }, profileOf: v.p}
	r := e.Replay(&Finding{
		Test: "TestX", Trial: do(site.stall(time.Millisecond)),
		Sites: []Site{site}, Smallest: time.Millisecond,
	})
	r.Package, r.Module, r.Build.Hash = "m/p", "m", "h"
	name := filepath.Join(t.TempDir(), "x.replay.json")
	if err := r.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	back, err := ReadReplay(name)
	if err != nil {
		t.Fatal(err)
	}
	if g := back.Stalls[0].At.Goroutine; g.Started().Text != "go work(1)" || !g.First || !g.All {
		t.Errorf("held is %+v", g)
	}
	if got, err := v.finder().find(back.Stalls[0].At); err != nil || got.G.Class != 11 || got.Hit != 7 || got.Block != 5 {
		t.Errorf("found again: %+v, %v", got, err)
	}
}

// What a replay names stands where it stood, or not: then nobody may go by its lines.
func TestUnmoved(t *testing.T) {
	v := newVersion(before1)
	stall := v.finder().place(Site{G: perturb.Goroutine{ID: 101}, Event: 2, Block: 5, Hit: 1, Class: 11})
	draw := v.finder().place(Site{Block: 7})
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"as it was", before1, true},
		{"other comments and spaces", strings.Replace(before1, "n++ // one", "n++   // two", 1), true},
		{"a line more above", "\n" + before1, false},
		{"the held statement is another", strings.Replace(before1, "\tn++\n", "\tn--\n", 1), false},
		{"its goroutine is started otherwise", strings.Replace(before1, "go work(1)", "go work(7)", 1), false},
		{"what is drawn at is another", strings.Replace(before1, "func rest(n int) {\n\tn--", "func rest(n int) {\n\tn = 0", 1), false},
		{"nothing is left", "package m\n", false},
	} {
		r := &Replay{Stalls: []ReplayStall{{At: stall}}, Draws: []Place{draw}}
		if got := r.Unmoved(func(string) ([]byte, error) { return []byte(c.src), nil }); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A finding comes out of its file as it went in.
func TestReplay(t *testing.T) {
	v := newVersion(before1)
	site := Site{G: perturb.Goroutine{ID: 101}, Event: 2, Block: 5, Hit: 1, Class: 11}
	f := &Finding{
		Test: "TestX", Signature: runner.Signature{Test: "TestX/case", Frame: trace.Frame{File: "/m/m.go", Line: 4}, Message: "N left"},
		Trial: do(site.stall(30*time.Millisecond), perturb.Pin(trace.ActMap, 1<<63+1, 7)),
		Sites: []Site{site}, Smallest: 2 * time.Millisecond, Verdict: Proved, passing: 9,
		Confirmed: Confirmation{With: Count{Failed: 20, Of: 20}, Plain: Count{Of: 20}},
	}
	e := &Experimenter{Sites: v.sites, Source: func(string) ([]byte, error) { return []byte(v.src), nil }, profileOf: v.p}
	r := e.Replay(f)
	r.Package, r.Module, r.Build.Hash = "m/p", "m", "h"
	name := filepath.Join(t.TempDir(), "x.replay.json")
	if err := r.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	back, err := ReadReplay(name)
	if err != nil || !reflect.DeepEqual(back, r) {
		t.Fatalf("%+v, %v; want %+v", back, err, r)
	}
	want := f.dosed()
	if got := back.exact(3); !reflect.DeepEqual(got, want) {
		t.Errorf("exact: %+v, want %+v", got, want)
	}
	later, err := e.inOtherCode(back, newVersion("\n"+before1).p, 1)
	if err != nil || later.Plan.Acts[0].Dose != 2*time.Millisecond || later.Plan.Acts[0].At.Hit != 1 {
		t.Errorf("again: %+v, %v", later, err)
	}
	if s := back.Sig(""); s.Test != "TestX/case" || s.Place() != "m.go:4" {
		t.Errorf("signature %v", s)
	}
}

// An edit changes a statement at which a replay acts, and one that starts a goroutine: they
// are found by what stands there now, and the replay itself stays as it was.
func TestReworded(t *testing.T) {
	at := func(text string) Place {
		return Place{Text: text, Goroutine: &GoroutineRef{Chain: []Start{{Test: "TestX"}, {Text: "go feed(c)"}}}}
	}
	asked := Place{Text: "n := 0\nif _, err := c.r.Read(b); err != nil {"}
	r := &Replay{
		Stalls:   []ReplayStall{{At: at("c <- 1")}},
		Orders:   []ReplayOrder{{Hold: at("x()"), Until: at("y()")}},
		Settings: []ReplaySetting{{Kind: "read", What: perturb.ReadMost, At: &asked}, {Kind: "read", What: perturb.ReadMost}},
		Pins:     []ReplayPin{{Kind: "map", At: []Place{{Text: "for k, v := range m {"}}}},
		Collect:  []Place{at("z()")},
	}
	if got := r.Reworded("", ""); got != r {
		t.Errorf("nothing was replaced: %+v", got)
	}
	read := r.Reworded("c.r.Read(b)", "io.ReadFull(c.r, b)")
	if got, want := read.Settings[0].At.Text, "n := 0\nif _, err := io.ReadFull(c.r, b); err != nil {"; got != want {
		t.Errorf("read: %q, want %q", got, want)
	}
	loop := r.Reworded("for v := range m", "for _, k := range slices.Sorted(maps.Keys(m))")
	if got := loop.Pins[0].At[0].Text; got != r.Pins[0].At[0].Text {
		t.Errorf("a text that stands nowhere was replaced: %q", got)
	}
	loop = r.Reworded("for k, v\n\t := range m", "for _, k := range slices.Sorted(maps.Keys(m))")
	if got, want := loop.Pins[0].At[0].Text, "for _, k := range slices.Sorted(maps.Keys(m)) {"; got != want {
		t.Errorf("loop: %q, want %q", got, want)
	}
	started := r.Reworded("go feed(c)", "go func() {")
	for i, p := range []Place{started.Stalls[0].At, started.Orders[0].Hold, started.Orders[0].Until, started.Collect[0]} {
		if got := p.Goroutine.Started().Text; got != "go func() {" {
			t.Errorf("goroutine of place %d: %q", i, got)
		}
	}
	if asked.Text != "n := 0\nif _, err := c.r.Read(b); err != nil {" || r.Stalls[0].At.Goroutine.Started().Text != "go feed(c)" {
		t.Errorf("the replay was changed: %+v", r)
	}
}

// Code that hangs is given up after as long as runs of the code before would have been, and
// what is known of its own runs is not overruled.
func TestExpectAs(t *testing.T) {
	edited := &Experimenter{}
	if got := edited.limit(&Trial{}); got != runner.DefaultLimit {
		t.Errorf("limit %v of what nothing is known of", got)
	}
	edited.ExpectAs(&Experimenter{})
	if got := edited.limit(&Trial{}); got != runner.DefaultLimit {
		t.Errorf("limit %v after one of which nothing is known either", got)
	}
	edited.ExpectAs(&Experimenter{usual: 300 * time.Millisecond})
	if got := edited.limit(&Trial{}); got != 6*time.Second {
		t.Errorf("limit %v, want 20 times as long as runs before", got)
	}
	edited.ExpectAs(&Experimenter{usual: time.Second})
	if got := edited.limit(&Trial{}); got != 6*time.Second {
		t.Errorf("limit %v: it was known already", got)
	}
}

// The draws that matter are named where all of a kind are pinned, and only there.
func TestReplayDraws(t *testing.T) {
	v := newVersion(before1)
	e := &Experimenter{Sites: v.sites, Source: func(string) ([]byte, error) { return []byte(v.src), nil }, profileOf: v.p}
	all := &Finding{Trial: do(perturb.Pin(trace.ActMap, 3, 0)), blocks: []int{5}}
	if r := e.Replay(all); len(r.Draws) != 1 || r.Draws[0].Block != 5 {
		t.Errorf("all are pinned: %+v", r.Draws)
	}
	one := &Finding{Trial: do(perturb.Pin(trace.ActMap, 3, 5)), blocks: []int{5}}
	if r := e.Replay(one); r.Draws != nil {
		t.Errorf("one is pinned: %+v", r.Draws)
	}
	stall := &Finding{blocks: []int{5}}
	if r := e.Replay(stall); r.Draws != nil {
		t.Errorf("nothing is pinned: %+v", r.Draws)
	}
}

// What is no replay file, or one that was tampered with, is told apart.
func TestBadReplays(t *testing.T) {
	good := map[string]any{
		"fdebug_replay": 1, "package": "m", "test": "TestX", "smallest_ns": 5,
		"stalls": []any{map[string]any{"dose_ns": 5, "at": map[string]any{"block": 3, "goroutine": map[string]any{"id": "7", "chain": []any{map[string]any{"test": "TestX"}}}}}},
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
		return m["stalls"].([]any)[0].(map[string]any)["at"].(map[string]any)
	}
	for _, c := range []struct {
		name, content string
		want          error
	}{
		{"good", with(func(map[string]any) {}), nil},
		{"no JSON", "package m", ErrNotReplay},
		{"other JSON", `{"a": 1}`, ErrNotReplay},
		{"empty", "", ErrNotReplay},
		{"cut", `{"fdebug_replay": 1, "pack`, ErrReplayDamaged},
		{"newer", with(func(m map[string]any) { m["fdebug_replay"] = 2 }), ErrReplayVersion},
		{"no test", with(func(m map[string]any) { delete(m, "test") }), ErrReplayDamaged},
		{"a test that is a path", with(func(m map[string]any) { m["test"] = "../../x" }), ErrReplayDamaged},
		{"nothing to do", with(func(m map[string]any) { delete(m, "stalls") }), ErrReplayDamaged},
		{"it fails anyway, and a cure is known", with(func(m map[string]any) { m["cure"] = m["stalls"]; delete(m, "stalls") }), nil},
		{"it fails anyway, and passes by other choices", with(func(m map[string]any) { m["always"] = true; delete(m, "stalls") }), nil},
		{"no block", with(func(m map[string]any) { delete(at(m), "block") }), ErrReplayDamaged},
		{"a block below none", with(func(m map[string]any) { at(m)["block"] = -4 }), ErrReplayDamaged},
		{"no goroutine", with(func(m map[string]any) { delete(at(m), "goroutine") }), ErrReplayDamaged},
		{"of the wrong type", with(func(m map[string]any) { m["stalls"] = "x" }), ErrReplayDamaged},
		{"a draw of no kind", with(func(m map[string]any) { m["pins"] = []any{map[string]any{"kind": "dice", "seed": "1"}} }), ErrReplayDamaged},
		{"below no time", with(func(m map[string]any) { m["smallest_ns"] = -1 }), ErrReplayDamaged},
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadReplay(name); !errors.Is(err, c.want) || err != nil && c.want == nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// Goroutines of the runtime, which calls cleanups in them, have no identity, and can't be held.
func TestNoIdentityNoSites(t *testing.T) {
	s := &sim{streams: twoGoroutines()}
	e := s.experimenter()
	e.opener = func(name string) (*trace.Trace, error) {
		tr, err := s.open(name)
		g := trace.NewGoroutine(0, "TestX", stream(15, 3))
		tr.Goroutines = append(tr.Goroutines, g)
		return tr, err
	}
	p, err := e.profile([]*Outcome{{Trace: "sim"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, site := range p.Sites() {
		if (site.G.ID == 0) == (site.G.Class == 0) {
			t.Errorf("a site of no goroutine: %+v", site)
		}
	}
	if len(p.Sites()) != 18 {
		t.Errorf("%d sites, want 18", len(p.Sites()))
	}
}
