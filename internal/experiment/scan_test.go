package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestScan shares the trials of a search among three processes, each with a log of its
// own. Who has these as one makes none of the trials again and comes to the verdict.
func TestScan(t *testing.T) {
	rule := func(r *simRun) string {
		if r.held(2, 4, 9) >= 3*time.Millisecond {
			return "late"
		}
		return ""
	}
	header := Header{Version: logVersion, Build: "b", Seed: 1}
	dir := t.TempDir()
	m, err := NewLogMerger(filepath.Join(dir, "all"), header)
	if err != nil {
		t.Fatal(err)
	}
	failed, shared := 0, 0
	for i := range uint64(3) {
		s := &sim{streams: twoGoroutines(), rule: rule}
		e := s.experimenter()
		name := filepath.Join(dir, string(rune('0'+i)))
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
	if m.Failed != failed || failed < 6 || m.Runs != shared+plainRuns-2 { // each made the first pinned run
		t.Errorf("%d of %d runs failed, want %d of %d", m.Failed, m.Runs, failed, shared+plainRuns-2)
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
	defer log.close()
	f, after := find(log)
	if f.Verdict != proof.Proved || f.Sig != want.Sig || f.window == nil || *f.window != *want.window || f.Confirmed.With != want.Confirmed.With {
		t.Errorf("%+v, want %+v", f, want)
	}
	if after >= alone {
		t.Errorf("%d runs were made after %d that were shared, and %d without these", after, m.Runs, alone)
	}
}

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
		m, err := NewLogMerger(filepath.Join(t.TempDir(), "log"), Header{Build: "b", Seed: 1})
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
