package shard

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/experiment"
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

// TestLogRuns merges runs: of two for one purpose the first is kept.
func TestLogRuns(t *testing.T) {
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
			Outcome: &experiment.Outcome{Ran: true, Failed: true, Signature: runner.Signature{Test: "TestX", Message: message}}}
		out.Encode(rec)
	}
	if err := m.Add(strings.NewReader(log.String()), nil); err != nil {
		t.Fatal(err)
	}
	if m.Runs != 3 || m.Failed != 3 || m.Plain != 0 {
		t.Fatalf("%d runs, %d failed", m.Runs, m.Failed)
	}
}
