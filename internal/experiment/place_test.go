package experiment

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A version of a program: each line of its functions is a block.
type version struct {
	src   string
	sites *trace.Sites
	p     *profile
}

// newVersion returns a program with a test that starts goroutines at each line that
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
	site := Site{G: freedom.Goroutine{ID: 101}, Event: 2, Block: block, Hit: 1, Class: 11}
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

// TestPlaceOfVisit has the first of two goroutines that are alike to come to a block for the
// 7th time: none of the sites of the profile.
func TestPlaceOfVisit(t *testing.T) {
	v := newVersion(before1)
	site := Site{G: freedom.Goroutine{Class: 11}, Block: 5, Hit: 7, ByHit: true, Class: 11}
	e := &Experimenter{Sites: v.sites, Source: func(string) ([]byte, error) { return []byte(v.src), nil }, profileOf: v.p}
	r := e.Proof(&Finding{
		Proof: proof.Proof{Test: "TestX", Smallest: time.Millisecond},
		Trial: do(stall(site, time.Millisecond)), sites: []Site{site},
	})
	r.Package, r.Module, r.Build.Hash = "m/p", "m", "h"
	name := filepath.Join(t.TempDir(), "x.replay.json")
	if err := r.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	back, err := proof.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	if g := back.Plan[0].At.Goroutine; g.Started().Text != "go work(1)" || !g.First || !g.All {
		t.Errorf("held is %+v", g)
	}
	if got, err := v.finder().find(*back.Plan[0].At); err != nil || got.G.Class != 11 || got.Hit != 7 || got.Block != 5 {
		t.Errorf("found again: %+v, %v", got, err)
	}
}

// What a replay names stands where it stood, or not: then nobody may go by its lines.
func TestUnmoved(t *testing.T) {
	v := newVersion(before1)
	stall := v.finder().place(Site{G: freedom.Goroutine{ID: 101}, Event: 2, Block: 5, Hit: 1, Class: 11})
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
		p := &proof.Proof{Plan: proof.Acts{{Kind: trace.ActStall, At: &stall}, {Kind: trace.ActMap, At: &draw}}}
		if got := Unmoved(p, func(string) ([]byte, error) { return []byte(c.src), nil }); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A finding comes out of its file as it went in.
func TestReplay(t *testing.T) {
	v := newVersion(before1)
	site := Site{G: freedom.Goroutine{ID: 101}, Event: 2, Block: 5, Hit: 1, Class: 11}
	f := &Finding{
		Proof: proof.Proof{
			Test: "TestX", Smallest: 2 * time.Millisecond, Verdict: proof.Proved,
			Confirmed: proof.Confirmation{With: proof.Count{Failed: 20, Of: 20}, Plain: proof.Count{Of: 20}},
		},
		Sig:   runner.Signature{Test: "TestX/case", Frame: trace.Frame{File: "/m/m.go", Line: 4}, Message: "N left"},
		Trial: do(stall(site, 30*time.Millisecond), freedom.Pin(trace.ActMap, 1<<63+1, 7)),
		sites: []Site{site},
	}
	e := &Experimenter{Sites: v.sites, Source: func(string) ([]byte, error) { return []byte(v.src), nil }, profileOf: v.p}
	r := e.Proof(f)
	r.Package, r.Module, r.Build.Hash = "m/p", "m", "h"
	name := filepath.Join(t.TempDir(), "x.replay.json")
	if err := r.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	back, err := proof.Read(name)
	if err != nil || !reflect.DeepEqual(back, r) {
		t.Fatalf("%+v, %v; want %+v", back, err, r)
	}
	want := f.dosed()
	if got := exact(back, 3); !reflect.DeepEqual(got, want) {
		t.Errorf("exact: %+v, want %+v", got, want)
	}
	later, err := trialOf(back, 1, newFinder(e.Sites, e.Source, newVersion("\n"+before1).p).find)
	if err != nil || later.Plan.Acts[0].Dose != 2*time.Millisecond || later.Plan.Acts[0].At.Hit != 1 {
		t.Errorf("again: %+v, %v", later, err)
	}
	if s := SignatureOf(back); s.Test != "TestX/case" || s.Place() != "m.go:4" {
		t.Errorf("signature %v", s)
	}
}

// Code that hangs is given up after as long as runs of the code before would have been, and
// the profile of its own runs is not overruled.
func TestExpectAs(t *testing.T) {
	edited := &Experimenter{}
	if got := edited.limit(&Trial{}); got != runner.DefaultLimit {
		t.Errorf("limit %v of what nothing is known of", got)
	}
	edited.ExpectAs(&Experimenter{})
	if got := edited.limit(&Trial{}); got != runner.DefaultLimit {
		t.Errorf("limit %v after a second one that nothing is known of", got)
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
	all := &Finding{Trial: do(freedom.Pin(trace.ActMap, 3, 0)), blocks: []int{5}}
	if r := e.Proof(all); len(r.At) != 1 || r.At[0].Block != 5 {
		t.Errorf("all are pinned: %+v", r.At)
	}
	one := &Finding{Trial: do(freedom.Pin(trace.ActMap, 3, 5)), blocks: []int{5}}
	if r := e.Proof(one); r.At != nil {
		t.Errorf("one is pinned: %+v", r.At)
	}
	stall := &Finding{Trial: do(freedom.Stall(freedom.Position{G: freedom.Goroutine{ID: 101}, Event: 2, Block: 5}, 1, false)), blocks: []int{5}}
	if r := e.Proof(stall); r.At != nil {
		t.Errorf("nothing is pinned: %+v", r.At)
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
	p, err := e.profile(t.Context(), []*Outcome{{Trace: "sim"}})
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

// stall holds a goroutine at a site.
func stall(site Site, dose time.Duration) freedom.Step {
	return freedom.Map(freedom.Hold(site, dose), Site.Position)
}
