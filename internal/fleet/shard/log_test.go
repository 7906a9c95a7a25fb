package shard

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// TestLogMerger refuses logs of other runs, and what is none.
func TestLogMerger(t *testing.T) {
	const head = `{"fdebug_experiments":4,"build":"b","seed":1}` + "\n"
	for text, want := range map[string]string{
		head: "",
		`{"fdebug_experiments":4,"build":"c","seed":1}` + "\n": "of the same build and seed",
		`{"fdebug_experiments":4,"build":"b","seed":2}` + "\n": "of the same build and seed",
		"x\n":        "not a log",
		head + "x\n": "can't be read",
		head + `{"key":"` + strings.Repeat("k", 100) + `","outcome":{}}` + "\n": "can't be read",
		head + `{"key":"k"}` + "\n":                            "can't be read",
		head + `{"key":"k","outcome":{"Trace":"../x"}}` + "\n": "no such trace",
	} {
		m, err := NewLogMerger(filepath.Join(t.TempDir(), "log"), experiment.Header{Build: "b", Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		err = m.Add(strings.NewReader(text), func(string) (string, error) { return "", trace.ErrDamaged })
		if want == "no such trace" {
			want = trace.ErrDamaged.Error()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
		m.Close()
	}
}

// TestLogItems merges runs of shared trials: each way to fail is one item, and the task of these is read as it was written.
func TestLogItems(t *testing.T) {
	h := experiment.Header{Version: experiment.LogVersion, Package: "m", Build: "b", Seed: 1}
	m, err := NewLogMerger(filepath.Join(t.TempDir(), "log"), h)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var log strings.Builder
	out := json.NewEncoder(&log)
	out.Encode(h)
	for i, message := range []string{"late", "late", "lost", "late"} {
		rec := experiment.LogLine{Key: string(rune('a' + i%3)), Test: "TestX", Kind: "rand", Is: proof.TellsFailure,
			Outcome: &experiment.Outcome{Ran: true, Failed: true, Signature: runner.Signature{Test: "TestX", Message: message}},
			Trial:   &experiment.Trial{Plan: freedom.Plan{Acts: freedom.Pins(uint64(i + 1))}}}
		out.Encode(rec)
	}
	if err := m.Add(strings.NewReader(log.String()), nil); err != nil {
		t.Fatal(err)
	}
	items := m.Items()
	if m.Runs != 3 || m.Failed != 3 || m.Plain != 0 || len(items) != 2 || len(items[0].Candidates) != 2 || items[1].Package != "m" {
		t.Fatalf("%d runs, %d failed, %+v", m.Runs, m.Failed, items)
	}
	name := filepath.Join(t.TempDir(), "task.json")
	if err := (&Task{Items: items}).WriteFile(name); err != nil {
		t.Fatal(err)
	}
	task, err := ReadTask(name)
	if err != nil || len(task.Items) != 2 || !task.Items[0].Fits(&items[0].Candidates[1]) {
		t.Fatalf("%+v, %v", task, err)
	}
}

// TestReadTask refuses what fdebug has not written.
func TestReadTask(t *testing.T) {
	for text, want := range map[string]error{
		"": ErrNotTask, "{}": ErrNotTask, `{"fdebug_replay":1}`: ErrNotTask, `{"fdebug_task":3,"items":[{]}`: ErrTaskDamaged,
		`{"fdebug_task":0}`: ErrTaskDamaged, `{"fdebug_task":4}`: errTaskVersion, `{"fdebug_task":3}`: nil,
		`{"fdebug_task":3,"items":[{"package":"m","test":"TestX/a"}]}`: ErrTaskDamaged,
		`{"fdebug_task":3,"items":[{"package":"m","test":"TestX"}]}`:   nil,
	} {
		if _, err := parseTask([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := ReadTask(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("error %v for no file", err)
	}
}
