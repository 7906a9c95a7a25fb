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

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// sharedTask makes a search of a simulated process in three parts, and returns what is to
// be confirmed, written to a file and read again.
func sharedTask(t *testing.T, process func() *sim) *Task {
	t.Helper()
	dir := t.TempDir()
	header := Header{Version: logVersion, Package: "example.com/m", Build: "b", Seed: 1}
	m, err := NewLogMerger(filepath.Join(dir, "all"), header)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3) {
		e := process().experimenter()
		name := filepath.Join(dir, string(rune('0'+i)))
		if e.Log, _, err = OpenLog(name, header); err != nil {
			t.Fatal(err)
		}
		e.Share = func(hash uint64) bool { return hash%3 == i }
		if _, err := e.Find(t.Context()); err != nil {
			t.Fatal(err)
		}
		e.Log.close()
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Add(f, func(string) (string, error) { return "sim", nil }); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	m.Close()
	name := filepath.Join(dir, "task.json")
	if err := (&Task{Items: m.Items()}).WriteFile(name); err != nil {
		t.Fatal(err)
	}
	task, err := ReadTask(name)
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// TestCandidates confirms what three processes have noted, and comes to the verdict of a
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
			task := sharedTask(t, process)
			if len(task.Items) != 1 || task.Items[0].Package != "example.com/m" || task.Items[0].Test != "TestX" {
				t.Fatalf("%+v", task.Items)
			}
			alone := process()
			want := one(t, alone.find(t))
			s := process()
			e := s.experimenter()
			e.Candidates = task.Items[0].Candidates
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

// TestCandidatesByChance confirms nothing where what failed does not fail again.
func TestCandidatesByChance(t *testing.T) {
	late := func(r *simRun) string {
		if r.held(2, 4, 9) >= 3*time.Millisecond {
			return "late"
		}
		return ""
	}
	task := sharedTask(t, func() *sim { return &sim{streams: twoGoroutines(), rule: late} })
	s := &sim{streams: twoGoroutines(), rule: func(*simRun) string { return "" }}
	e := s.experimenter()
	e.Candidates = task.Items[0].Candidates
	r, err := e.Find(t.Context())
	if err != nil || !r.Complete || len(r.Findings) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// sampleTask is one that fdebug may have written.
func sampleTask() *Task {
	at := freedom.Position{G: freedom.Goroutine{ID: 2}, Event: 4, Block: 15}
	failed := Outcome{Ran: true, Failed: true, Signature: runner.Signature{Test: "TestX", Message: "late"}}
	return &Task{Version: taskVersion, Build: map[string]string{"go": "go1.26"}, Items: []Item{
		{Package: "m", Test: "TestX", Candidates: []Candidate{
			{Trial: do(freedom.Stall(at, sweepDose, false)), Site: &Site{G: at.G, Event: 4, Block: 15, Class: 102}, Outcome: failed},
			{Trial: do(freedom.Pins(1 << 60)...), Outcome: failed},
		}},
		{Package: "m", Test: "TestY", Natural: []runner.Signature{{Test: "TestY", Message: "m"}}, Hints: []Hint{{File: "m.go", Start: 1, End: 2}}, Recorded: []Recorded{{Seed: 5}}},
	}}
}

// TestReadTask refuses what fdebug has not written.
func TestReadTask(t *testing.T) {
	type change = func(*Task, *Candidate)
	for name, c := range map[string]struct {
		change change
		want   error
	}{
		"as it is":   {func(*Task, *Candidate) {}, nil},
		"no version": {func(t *Task, _ *Candidate) { t.Version = 0 }, ErrTaskDamaged},
		"newer":      {func(t *Task, _ *Candidate) { t.Version = taskVersion + 1 }, errTaskVersion},
		"no package": {func(t *Task, _ *Candidate) { t.Items[0].Package = "" }, ErrTaskDamaged},
		"no test":    {func(t *Task, _ *Candidate) { t.Items[0].Test = "" }, ErrTaskDamaged},
		"subtest":    {func(t *Task, _ *Candidate) { t.Items[0].Test = "TestX/a" }, ErrTaskDamaged},
		"other test": {func(t *Task, _ *Candidate) { t.Items[1].Hints[0].Tests = []string{"a b"} }, ErrTaskDamaged},
		"long phase": {func(t *Task, _ *Candidate) {
			t.Items[1].Hints[0].Fails = [][]freedom.Act{{freedom.StartAt(time.Hour, time.Minute)}}
		}, ErrTaskDamaged},
		"a short read": {func(t *Task, _ *Candidate) { t.Items[1].Hints[0].Fails = [][]freedom.Act{{freedom.Most(5, 3)}} }, nil},
		"no read":      {func(t *Task, _ *Candidate) { t.Items[1].Hints[0].Fails = [][]freedom.Act{{freedom.Most(5, 0)}} }, ErrTaskDamaged},
		"no phase": {func(t *Task, _ *Candidate) {
			t.Items[1].Hints[0].Passes = [][]freedom.Act{{freedom.Machine(freedom.NetworkNone)}}
		}, ErrTaskDamaged},
		"passed":        {func(_ *Task, c *Candidate) { c.Outcome.Failed = false }, ErrTaskDamaged},
		"trace":         {func(_ *Task, c *Candidate) { c.Outcome.Trace = "/etc/passwd" }, ErrTaskDamaged},
		"otherwise":     {func(_ *Task, c *Candidate) { c.Outcome.Signature.Message = "x" }, ErrTaskDamaged},
		"other process": {func(_ *Task, c *Candidate) { c.Trial.Plan.Process = "sh" }, ErrTaskDamaged},
		"no site":       {func(_ *Task, c *Candidate) { c.Site = nil }, ErrTaskDamaged},
		"another site":  {func(_ *Task, c *Candidate) { c.Site.Event++ }, ErrTaskDamaged},
		"no goroutine":  {func(_ *Task, c *Candidate) { c.Site.G.ID, c.Trial.Plan.Acts[0].At.G.ID = 0, 0 }, ErrTaskDamaged},
		"for ever":      {func(_ *Task, c *Candidate) { c.Trial.Plan.Acts[0].Dose = time.Hour }, ErrTaskDamaged},
		"nothing":       {func(_ *Task, c *Candidate) { c.Trial, c.Site = Trial{}, nil }, ErrTaskDamaged},
		"orders": {func(_ *Task, c *Candidate) {
			c.Trial.Plan.Acts = append(c.Trial.Plan.Acts, freedom.Act{Kind: trace.ActOrder})
		}, ErrTaskDamaged},
		"settings":     {func(_ *Task, c *Candidate) { c.Trial.Plan.Acts = append(c.Trial.Plan.Acts, freedom.Files(9)) }, ErrTaskDamaged},
		"tests before": {func(_ *Task, c *Candidate) { c.Trial.Before = []string{"TestY"} }, ErrTaskDamaged},
		"pins":         {func(t *Task, _ *Candidate) { t.Items[0].Candidates[1].Trial.Plan.Acts[0].Kind = trace.ActClock }, ErrTaskDamaged},
		"acts":         {func(_ *Task, c *Candidate) { c.Outcome.Acts = make([]Act, maxReduced+1) }, ErrTaskDamaged},
	} {
		task := sampleTask()
		c.change(task, &task.Items[0].Candidates[0])
		data, err := json.Marshal(task)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseTask(data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for text, want := range map[string]error{"": ErrNotTask, "{}": ErrNotTask, `{"fdebug_replay":1}`: ErrNotTask, `{"fdebug_task":3,"items":[{]}`: ErrTaskDamaged} {
		if _, err := parseTask([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := ReadTask(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("error %v for no file", err)
	}
}

// FuzzTask has tasks of anybody looked into: whatever is accepted is a search like any
// other.
func FuzzTask(f *testing.F) {
	data, err := json.Marshal(sampleTask())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(strings.ReplaceAll(string(data), `"Block":15`, `"Block":4000000000`)))
	f.Add([]byte(`{"fdebug_task":1,"items":[{"package":"m","test":"TestX"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		task, err := parseTask(data)
		if err != nil {
			return
		}
		for i := range task.Items[:min(len(task.Items), 3)] {
			x := &task.Items[i]
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
		if r.trial.Plan.Does(freedom.Act.Chooses) {
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
