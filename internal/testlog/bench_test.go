package testlog

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/history"
)

// generated is what go test -json prints of as many runs of 5,000 tests in 100
// packages, 4 events each; every 997th result is a failure.
func generated(w io.Writer, runs int) {
	n := 0
	for r := range runs {
		for p := range 100 {
			at := fmt.Sprintf("2026-11-%02dT%02d:%02d:00.%09dZ", 1+r/1440%20, r/60%24, r%60, p+1)
			event := func(test, action, more string) {
				if test != "" {
					test = `,"Test":"` + test + `"`
				}
				fmt.Fprintf(w, `{"Time":%q,"Action":%q,"Package":"example.com/m/p%d"%s%s}`+"\n", at, action, p, test, more)
			}
			event("", "start", "")
			for t := range 50 {
				name := fmt.Sprint("TestNumber", t)
				word, action := "PASS", "pass"
				if n++; n%997 == 0 {
					word, action = "FAIL", "fail"
				}
				event(name, "run", "")
				event(name, "output", fmt.Sprintf(`,"Output":"=== RUN   %s\n"`, name))
				if action == "fail" {
					event(name, "output", `,"Output":"    m_test.go:7: got 4, want 3\n"`)
				}
				event(name, "output", fmt.Sprintf(`,"Output":"--- %s: %s (0.00s)\n"`, word, name))
				event(name, action, `,"Elapsed":0.01`)
			}
			event("", "output", `,"Output":"PASS\n"`)
			event("", "pass", `,"Elapsed":0.5`)
		}
	}
}

// benchRuns makes a million results.
const benchRuns = 200

// BenchmarkImport reads a million results of go test -json into a history. What it says
// of processor time has that of making them in it.
func BenchmarkImport(b *testing.B) {
	for b.Loop() {
		before := processorTime()
		in, out := io.Pipe()
		go func() {
			generated(out, benchRuns)
			out.Close()
		}()
		ctx := context.Background()
		db, err := history.Open(ctx, filepath.Join(b.TempDir(), history.Name))
		if err != nil {
			b.Fatal(err)
		}
		s := &history.Session{Key: "s", Source: history.FromImport, Started: now}
		var runs []history.Run
		results := 0
		_, err = Read(in, options(), func(r *history.Run) error {
			runs = append(runs, *r)
			results += len(r.Results)
			if len(runs) < 500 {
				return nil
			}
			_, err := db.Add(ctx, s, runs)
			runs = runs[:0]
			return err
		})
		if err == nil {
			_, err = db.Add(ctx, s, runs)
		}
		if err != nil {
			b.Fatal(err)
		}
		size, err := db.Size(ctx)
		if err != nil || size.Runs != 100*benchRuns {
			b.Fatal(size, err)
		}
		db.Close()
		b.ReportMetric(float64(results), "results")
		b.ReportMetric(processorTime()-before, "cpu-s")
		b.ReportMetric(float64(size.Bytes)/(1<<20), "file-MB")
	}
}

// processorTime is what the process has had, in seconds; 0 where the system does not
// tell.
func processorTime() float64 {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}
