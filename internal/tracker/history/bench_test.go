package history_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/alloc"
	. "github.com/fdebug/fdebug/internal/tracker/history"
)

// What is generated: 5,000 tests in 100 packages, one in twenty of them flaky with 0.2
// to 10 %, run so many times.
const (
	benchPackages = 100
	benchTests    = 50 // a package
)

var benchSessions = flag.Int("sessions", 50, "how many sessions of 5,000 results are benchmarked")

// generate makes such a history.
func generate(b *testing.B, where string) {
	b.Helper()
	ctx := context.Background()
	db, err := openAt(ctx, where)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	r := rand.New(rand.NewPCG(1, 2))
	rate := make(map[string]float64)
	for s := range *benchSessions {
		session := job(fmt.Sprint("s", s), fmt.Sprintf("%040x", s), s*2)
		var runs []Run
		for p := range benchPackages {
			run := runOf(fmt.Sprint(s, " ", p), s*2)
			run.Package = fmt.Sprint("example.com/m/p", p)
			for t := range benchTests {
				name := fmt.Sprint("TestNumber", t)
				res := Result{Test: name, Status: Passed, Elapsed: 10 * time.Millisecond}
				key := run.Package + name
				if _, ok := rate[key]; !ok && r.IntN(20) == 0 {
					rate[key] = 0.002 + 0.098*r.Float64()
				} else if !ok {
					rate[key] = 0
				}
				if r.Float64() < rate[key] {
					res.Status, res.Signature, res.Message = Failed, name+": m_test.go:1: got N", "got 7"
				}
				run.Results = append(run.Results, res)
			}
			runs = append(runs, run)
		}
		if _, err := db.Add(ctx, session, runs); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHistory opens and ranks results: as many as -sessions says, ten million by
// 2000. FDEBUG_BENCH_HISTORY names a file in which they stay from one time to
// the next.
func BenchmarkHistory(b *testing.B) {
	b.Run("file", func(b *testing.B) {
		file := os.Getenv("FDEBUG_BENCH_HISTORY")
		if file == "" {
			file = filepath.Join(b.TempDir(), Name)
		}
		if _, err := os.Stat(file); err != nil {
			generate(b, file)
		}
		benchmarkAt(b, file)
	})
	b.Run("PostgreSQL", func(b *testing.B) {
		url := database(b)
		generate(b, url)
		benchmarkAt(b, url)
	})
}

func benchmarkAt(b *testing.B, where string) {
	runtime.GC()
	before := alloc.ProcessorTime()
	var tally *Tally
	var n int
	var size Size
	for b.Loop() {
		db, err := openAt(context.Background(), where)
		if err != nil {
			b.Fatal(err)
		}
		if tally, err = Read(context.Background(), db, Filter{}); err != nil {
			b.Fatal(err)
		}
		n = len(tally.Rank())
		if size, err = db.Size(context.Background()); err != nil {
			b.Fatal(err)
		}
		db.Close()
	}
	b.ReportMetric((alloc.ProcessorTime()-before)/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(tally.Results), "results")
	b.ReportMetric(float64(n), "failing")
	b.ReportMetric(float64(size.Bytes)/(1<<20), "stored-MB")
	b.ReportMetric(peak()/1024, "peak-MB")
}

// peak is the most memory that the process has had, in kB, generating included if that
// was done; 0 where the system does not tell.
func peak() float64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kB float64
	fmt.Sscan(rest, &kB)
	return kB
}
