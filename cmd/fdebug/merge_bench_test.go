//go:build unix

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// What BenchmarkMerge generates: 200,000 runs of a package of five tests, one of them failing
// once in 1,000 runs.
const (
	benchBlobs = 200
	benchRuns  = 1000 // for each blob
	benchRare  = 1000
)

// BenchmarkMerge merges blobs that are generated from recorded traces. The memory is the peak of
// fdebug's process.
func BenchmarkMerge(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "fdebug")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	blobs := cmp.Or(os.Getenv("FDEBUG_BENCH_BLOBS"), b.TempDir()) // made only once, if they are kept
	var size int64
	if list, _ := os.ReadDir(blobs); len(list) == 0 {
		size = generateBlobs(b, blobs)
	}
	for b.Loop() {
		out := b.TempDir()
		cmd := exec.Command(bin, "merge", "-o", out, blobs)
		text, err := cmd.CombinedOutput()
		if e := (*exec.ExitError)(nil); !errors.As(err, &e) || e.ExitCode() != exit.Flaky {
			b.Fatalf("%v\n%s", err, text)
		}
		usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		b.ReportMetric(float64(usage.Maxrss)/1024, "MB")
		b.ReportMetric((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
		b.ReportMetric(float64(size)/benchBlobs/1024, "kB/blob")
		b.Logf("%s", text)
	}
}

// generateBlobs writes the blobs and returns their size.
func generateBlobs(b *testing.B, to string) (size int64) {
	src := b.TempDir()
	recording := recordedRun(b, src)
	of := recording.Packages[0]
	var pass, fail *runner.Run
	for _, run := range of.Runs {
		if run.Failed() {
			fail = run
		} else {
			pass = run
		}
	}
	sites, err := trace.ReadSites(filepath.Join(src, "run", "sites.json"))
	if err != nil {
		b.Fatal(err)
	}
	for i := 1; i <= benchBlobs; i++ {
		dir := b.TempDir()
		part := shard.Part{I: i, Of: benchBlobs}
		h := &shard.Header{
			Part: part, Attempt: 1, Key: fmt.Sprint(i), Command: []string{"fdebug", "run"}, N: benchBlobs * benchRuns, Root: sites.Root, Host: fmt.Sprint("h", i), CPUs: 2,
		}
		r := &runner.Results{Started: pass.Started, Elapsed: time.Hour, N: h.N, Parallel: 1, Packages: []*runner.Package{{Target: of.Target}}}
		for n := i; n <= h.N; n += benchBlobs {
			r.Packages[0].Runs = append(r.Packages[0].Runs, benchRun(b, src, dir, pass, fail, n))
		}
		h.Count(r)
		for _, name := range []string{"meta.json", "sites.json"} {
			if err := copied(filepath.Join(src, "run", name), filepath.Join(dir, name)); err != nil {
				b.Fatal(err)
			}
		}
		if err := runner.Save(dir, r); err != nil {
			b.Fatal(err)
		}
		file := filepath.Join(to, h.FileName())
		source := func(name string) ([]byte, error) {
			return os.ReadFile(filepath.Join(src, "run", "src", filepath.FromSlash(name)+".txt"))
		}
		if err := shard.Write(file, h, dir, r, sites, source); err != nil {
			b.Fatal(err)
		}
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
		os.RemoveAll(dir)
	}
	return size
}

// recordedRun unpacks a recorded run.
func recordedRun(b *testing.B, dir string) *runner.Results {
	openRecorded(b, recordedFile("crawler"), dir)
	r, err := runner.Load(filepath.Join(dir, "run"))
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// benchRun is the n-th run: a copy of one that passed or failed, with a link to its trace.
func benchRun(b *testing.B, src, dir string, pass, fail *runner.Run, n int) *runner.Run {
	of := pass
	if n%benchRare == 0 {
		of = fail
	}
	run := *of
	run.N, run.Seed, run.Started = n, uint64(n)*7919, of.Started.Add(time.Duration(n)*time.Millisecond)
	for i := range 4 {
		run.Outcomes = append(run.Outcomes[:len(run.Outcomes):len(run.Outcomes)], &runner.Outcome{Test: fmt.Sprint("TestOther", i), Status: runner.Passed})
	}
	run.Traces = []string{fmt.Sprintf("traces/001-crawler/%04d.trace", n)}
	if n > shard.Traced && of == pass { // would not be in the blob
		return &run
	}
	to := filepath.Join(dir, run.Traces[0])
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		b.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(src, "run", of.Traces[0]), to); err != nil {
		b.Fatal(err)
	}
	return &run
}
