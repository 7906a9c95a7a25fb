package testlog

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/alloc"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// generated writes what go test -json prints for the given number of runs of 5,000 tests in 100
// packages, with 4 events each. Every 997th result is a failure.
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

// BenchmarkImport reads a million results of go test -json into a history. The processor time
// includes that of generating them.
func BenchmarkImport(b *testing.B) {
	for b.Loop() {
		before := alloc.ProcessorTime()
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
		b.ReportMetric(alloc.ProcessorTime()-before, "cpu-s")
		b.ReportMetric(float64(size.Bytes)/(1<<20), "file-MB")
	}
}
