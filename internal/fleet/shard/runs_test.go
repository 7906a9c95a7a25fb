package shard

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
)

// sessionFile is the file of runs of one of several sessions: one run, and the logs that it
// found.
func sessionFile(t *testing.T, run *runner.Run, logs string) []byte {
	t.Helper()
	var file bytes.Buffer
	out := json.NewEncoder(&file)
	places := &runner.LogsRecord{Package: "m"}
	if err := json.Unmarshal([]byte(`{"places":[`+logs+`]}`), places); err != nil {
		t.Fatal(err)
	}
	for _, rec := range []runner.Record{
		{Kind: "begin", Begin: &runner.BeginRecord{Version: 1, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), N: 2}},
		{Kind: "package", Package: &runner.PackageRecord{Target: runner.Target{ImportPath: "m", Dir: "/src"}}},
		{Kind: "run", Run: run}, {Kind: "logs", Logs: places}, {Kind: "end", End: &runner.EndRecord{}},
	} {
		if err := out.Encode(rec); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// TestMergerLogs has a failure after a message that only runs of another session show to be a
// log. After merging, the failure is the later one, as if one session had seen both.
func TestMergerLogs(t *testing.T) {
	failed := &runner.Run{Package: "m", N: 1, Exit: runner.Exit{Code: 1}, Outcomes: []*runner.Outcome{{
		Test: "TestX", Status: runner.Failed, Output: "    help.go:7: state 3\n    x_test.go:9: odd\n",
		Message: "state 3", Signature: runner.Signature{Test: "TestX", Message: "state N"},
	}}}
	passed := &runner.Run{Package: "m", N: 2, Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Passed}}}
	for _, c := range []struct {
		logs, want string
	}{{"", "state N"}, {`{"file":"other.go","line":7}`, "state N"}, {`{"file":"help.go","line":7}`, "odd"}} {
		dir := t.TempDir()
		m, err := newRunMerger(dir, runner.Results{Started: time.Now(), N: 2})
		if err != nil {
			t.Fatal(err)
		}
		m.exec = runner.Exec{Root: "/src", Here: func(string) string { return "/nowhere" }}
		visit := func(*runner.Run) error { return nil }
		for _, file := range [][]byte{sessionFile(t, failed, ""), sessionFile(t, passed, c.logs)} {
			if err := m.Add(bytes.NewReader(file), "", visit); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := runner.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Packages[0].Runs[0].Outcomes[0].Signature.Message; got != c.want {
			t.Errorf("with logs %v the failure is %q, want %q", c.logs, got, c.want)
		}
	}
}
