package experiment

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
)

// merged writes a log with the runs of others, each once, and returns its lines after the first.
func merged(t *testing.T, name string, h Header, from []string) (list []LogLine) {
	t.Helper()
	head, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	all := append(head, '\n')
	known := make(map[string]bool)
	for _, f := range from {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, data, _ = bytes.Cut(data, []byte("\n"))
		for line := range bytes.Lines(data) {
			var rec LogLine
			if err := json.Unmarshal(line, &rec); err != nil {
				t.Fatal(err)
			}
			if !known[rec.Key] {
				known[rec.Key] = true
				list, all = append(list, rec), append(all, line...)
			}
		}
	}
	if err := os.WriteFile(name, all, 0o666); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestScan shares the trials of a search among three processes, each with a log of its
// own. Who has these as one makes none of the trials again and comes to the verdict.
func TestScan(t *testing.T) {
	rule := func(r *simRun) string {
		if r.held(2, 4, 9) >= 3*time.Millisecond {
			return "late"
		}
		return ""
	}
	header := Header{Version: LogVersion, Build: "b", Seed: 1}
	dir := t.TempDir()
	failed, shared := 0, 0
	var names []string
	for i := range uint64(3) {
		s := &sim{streams: twoGoroutines(), rule: rule}
		e := s.experimenter()
		name := filepath.Join(dir, string(rune('0'+i)))
		var err error
		if e.Log, _, err = OpenLog(name, header); err != nil {
			t.Fatal(err)
		}
		e.Share = func(hash uint64) bool { return hash%3 == i }
		r, err := e.Find(t.Context())
		if err != nil || !r.Complete || len(r.Findings) > 0 || r.provoked {
			t.Fatalf("%+v, %v", r, err)
		}
		failed += r.Failed
		shared += s.runs - plainRuns
		e.Log.file.Close()
		names = append(names, name)
	}
	lines := merged(t, filepath.Join(dir, "all"), header, names)
	bad := 0
	for _, x := range lines {
		if x.Is == proof.TellsFailure {
			bad++
		}
	}
	if bad != failed || failed < 6 || len(lines) != shared+plainRuns-2 { // each made the first pinned run
		t.Errorf("%d of %d runs failed, want %d of %d", bad, len(lines), failed, shared+plainRuns-2)
	}

	find := func(log *Log) (*Finding, int) {
		s := &sim{streams: twoGoroutines(), rule: rule}
		e := s.experimenter()
		e.Log = log
		r, err := e.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return one(t, r), s.runs
	}
	want, alone := find(nil)
	log, _, err := OpenLog(filepath.Join(dir, "all"), header)
	if err != nil {
		t.Fatal(err)
	}
	defer log.file.Close()
	f, after := find(log)
	if f.Verdict != proof.Proved || f.Sig != want.Sig || f.window == nil || *f.window != *want.window || f.Confirmed.With != want.Confirmed.With {
		t.Errorf("%+v, want %+v", f, want)
	}
	if after >= alone {
		t.Errorf("%d runs were made after %d that were shared, and %d without these", after, len(lines), alone)
	}
}
