package experiment

import (
	"encoding/json"
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

// sharedItem makes a search of a simulated process in three parts, and returns the item to confirm.
func sharedItem(t *testing.T, process func() *sim) (x Item) {
	t.Helper()
	dir := t.TempDir()
	header := Header{Version: LogVersion, Build: "b", Seed: 1}
	var names []string
	for i := range uint64(3) {
		e := process().experimenter()
		name := filepath.Join(dir, string(rune('0'+i)))
		var err error
		if e.Log, _, err = OpenLog(name, header); err != nil {
			t.Fatal(err)
		}
		e.Share = func(hash uint64) bool { return hash%3 == i }
		if _, err := e.Find(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.Log.file.Close()
		names = append(names, name)
	}
	for _, rec := range merged(t, filepath.Join(dir, "all"), header, names) {
		if rec.Trial == nil || rec.Is != proof.TellsFailure && (rec.Is != proof.TellsMissed || !rec.Outcome.Failed) {
			continue
		}
		c, err := CandidateOf(&rec)
		if err != nil || len(x.Candidates) > 0 && !x.Fits(&c) {
			t.Fatalf("%+v: %v", c, err)
		}
		x.Candidates = append(x.Candidates, c)
	}
	return x
}

// TestCandidates confirms the candidates that three processes have noted, and comes to the verdict of a
// search by one of them in fewer runs.
func TestCandidates(t *testing.T) {
	for name, process := range map[string]func() *sim{
		"stall": func() *sim {
			return &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
				if r.held(2, 4, 9) >= 3*time.Millisecond {
					return "late"
				}
				return ""
			}}
		},
		"draw": func() *sim {
			return &sim{
				streams: twoGoroutines(), draws: []trace.Draw{{Kind: trace.ActSelect, Block: 2}, {Kind: trace.ActMap, Block: 3}},
				rule: func(r *simRun) string {
					if r.drawn(trace.ActSelect, 2, 4) == 1 {
						return "chosen"
					}
					return ""
				},
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			item := sharedItem(t, process)
			alone := process()
			want := one(t, alone.find(t))
			s := process()
			e := s.experimenter()
			e.Candidates = item.Candidates
			r, err := e.Find(t.Context())
			if err != nil || !r.Complete {
				t.Fatalf("%+v, %v", r, err)
			}
			f := one(t, r)
			if f.Verdict != proof.Proved || f.Sig != want.Sig || f.Kind() != want.Kind() || !reflect.DeepEqual(f.window, want.window) || !reflect.DeepEqual(f.blocks, want.blocks) {
				t.Errorf("%+v, want %+v", f, want)
			}
			if s.runs >= alone.runs+20 {
				t.Errorf("%d runs to confirm what a whole search finds in %d", s.runs, alone.runs)
			}
		})
	}
}

// TestCandidatesByChance confirms nothing where a trial that failed does not fail again.
func TestCandidatesByChance(t *testing.T) {
	late := func(r *simRun) string {
		if r.held(2, 4, 9) >= 3*time.Millisecond {
			return "late"
		}
		return ""
	}
	item := sharedItem(t, func() *sim { return &sim{streams: twoGoroutines(), rule: late} })
	s := &sim{streams: twoGoroutines(), rule: func(*simRun) string { return "" }}
	e := s.experimenter()
	e.Candidates = item.Candidates
	r, err := e.Find(t.Context())
	if err != nil || !r.Complete || len(r.Findings) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// An itemList has the items to confirm, as in a file.
type itemList struct {
	Items []Item `json:"items"`
}

// sampleItems are some that fdebug may have written.
func sampleItems() *itemList {
	at := freedom.Position{G: freedom.Goroutine{ID: 2}, Event: 4, Block: 15}
	failed := Outcome{Ran: true, Failed: true, Signature: runner.Signature{Test: "TestX", Message: "late"}}
	return &itemList{Items: []Item{
		{Package: "m", Test: "TestX", Candidates: []Candidate{
			{Trial: do(freedom.Stall(at, sweepDose, false)), Site: &Site{G: at.G, Event: 4, Block: 15, Class: 102}, Outcome: failed},
			{Trial: do(freedom.Pins(1 << 60)...), Outcome: failed},
		}},
		{Package: "m", Test: "TestY", Natural: []runner.Signature{{Test: "TestY", Message: "m"}}, Hints: []freedom.Hint{{Span: trace.Span{File: "m.go", Start: 1, End: 2}}}, Recorded: []Recorded{{Seed: 5}}},
	}}
}

// TestItems refuses items that fdebug has not written.
func TestItems(t *testing.T) {
	type change = func(*itemList, *Candidate)
	for name, c := range map[string]struct {
		change change
		bad    bool
	}{
		"as it is":   {func(*itemList, *Candidate) {}, false},
		"no package": {func(t *itemList, _ *Candidate) { t.Items[0].Package = "" }, true},
		"no test":    {func(t *itemList, _ *Candidate) { t.Items[0].Test = "" }, true},
		"subtest":    {func(t *itemList, _ *Candidate) { t.Items[0].Test = "TestX/a" }, true},
		"other test": {func(t *itemList, _ *Candidate) { t.Items[1].Hints[0].Tests = []string{"a b"} }, true},
		"long phase": {func(t *itemList, _ *Candidate) {
			t.Items[1].Hints[0].Fails = [][]freedom.Step{{freedom.StartAt(time.Hour, time.Minute)}}
		}, true},
		"a short read": {func(t *itemList, _ *Candidate) { t.Items[1].Hints[0].Fails = [][]freedom.Step{{freedom.Most(5, 3)}} }, false},
		"no read":      {func(t *itemList, _ *Candidate) { t.Items[1].Hints[0].Fails = [][]freedom.Step{{freedom.Most(5, 0)}} }, true},
		"no phase": {func(t *itemList, _ *Candidate) {
			t.Items[1].Hints[0].Passes = [][]freedom.Step{{freedom.Machine(freedom.NetworkNone)}}
		}, true},
		"passed":        {func(_ *itemList, c *Candidate) { c.Outcome.Failed = false }, true},
		"trace":         {func(_ *itemList, c *Candidate) { c.Outcome.Trace = "/etc/passwd" }, true},
		"otherwise":     {func(_ *itemList, c *Candidate) { c.Outcome.Signature.Message = "x" }, true},
		"other process": {func(_ *itemList, c *Candidate) { c.Trial.Plan.Process = "sh" }, true},
		"no site":       {func(_ *itemList, c *Candidate) { c.Site = nil }, true},
		"another site":  {func(_ *itemList, c *Candidate) { c.Site.Event++ }, true},
		"no goroutine":  {func(_ *itemList, c *Candidate) { c.Site.G.ID, c.Trial.Plan.Acts[0].At.G.ID = 0, 0 }, true},
		"for ever":      {func(_ *itemList, c *Candidate) { c.Trial.Plan.Acts[0].Dose = time.Hour }, true},
		"nothing":       {func(_ *itemList, c *Candidate) { c.Trial, c.Site = Trial{}, nil }, true},
		"orders": {func(_ *itemList, c *Candidate) {
			c.Trial.Plan.Acts = append(c.Trial.Plan.Acts, freedom.Step{Kind: trace.ActOrder})
		}, true},
		"settings":     {func(_ *itemList, c *Candidate) { c.Trial.Plan.Acts = append(c.Trial.Plan.Acts, freedom.Files(9)) }, true},
		"tests before": {func(_ *itemList, c *Candidate) { c.Trial.Before = []string{"TestY"} }, true},
		"pins":         {func(t *itemList, _ *Candidate) { t.Items[0].Candidates[1].Trial.Plan.Acts[0].Kind = trace.ActClock }, true},
		"acts":         {func(_ *itemList, c *Candidate) { c.Outcome.Acts = make([]Act, maxReduced+1) }, true},
	} {
		list := sampleItems()
		c.change(list, &list.Items[0].Candidates[0])
		if err := errors.Join(list.Items[0].Check(), list.Items[1].Check()); (err != nil) != c.bad {
			t.Errorf("%s: error %v, want one: %v", name, err, c.bad)
		}
	}
}

// FuzzItems has items of anybody looked into: whatever is accepted is a search like any
// other.
func FuzzItems(f *testing.F) {
	data, err := json.Marshal(sampleItems())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(strings.ReplaceAll(string(data), `"Block":15`, `"Block":4000000000`)))
	f.Add([]byte(`{"items":[{"package":"m","test":"TestX"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var list itemList
		if json.Unmarshal(data, &list) != nil {
			return
		}
		for i := range list.Items[:min(len(list.Items), 3)] {
			x := &list.Items[i]
			if x.Check() != nil {
				continue
			}
			s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
				if r.held(2, 4, 9) > 0 {
					return "late"
				}
				return ""
			}}
			e := s.experimenter()
			e.Candidates, e.Natural, e.Hints, e.Recorded = x.Candidates, x.Natural, x.Hints, x.Recorded
			began, now := time.Now(), 0
			e.Until = began.Add(500)
			e.clock = func() time.Time { now++; return began.Add(time.Duration(now)) }
			res, err := e.Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range res.Findings {
				e.Proof(found)
			}
		}
	})
}

// TestCandidatesNoSeedPasses has a test that fails with all choices by any seed: choices decide nothing.
func TestCandidatesNoSeedPasses(t *testing.T) {
	s := &sim{streams: twoGoroutines(), draws: []trace.Draw{{Kind: trace.ActMap, Block: 2}}, rule: func(r *simRun) string {
		if r.trial.Plan.Does(freedom.Step.Chooses) {
			return "chosen"
		}
		return ""
	}}
	e := s.experimenter()
	for i := range uint64(50) {
		e.Candidates = append(e.Candidates, Candidate{
			Trial:   do(freedom.Pins(i)...),
			Outcome: Outcome{Ran: true, Failed: true, Signature: runner.Signature{Test: "TestX", Message: "chosen"}},
		})
	}
	r, err := e.Find(t.Context())
	if err != nil || !r.Complete || r.explained {
		t.Fatalf("%+v, %v", r, err)
	}
}
