package serve

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/team"
)

// BenchmarkServe makes pages of ten million results of 5,000 tests, and reads them. The
// benchmark of package history leaves such a file where FDEBUG_BENCH_HISTORY says.
func BenchmarkServe(b *testing.B) {
	file := os.Getenv("FDEBUG_BENCH_HISTORY")
	if _, err := os.Stat(file); err != nil {
		b.Skip("no history: FDEBUG_BENCH_HISTORY=FILE go test ./internal/tracker/history -run=^$ -bench=History makes one")
	}
	ctx := context.Background()
	s, err := New(ctx, Options{Pages: team.Pages{Open: func(ctx context.Context) (*history.DB, error) { return history.OpenReadOnly(ctx, file) }}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	list := s.current.Load().list
	for name, path := range map[string]string{
		"list": "/", "page3": "/?page=3", "search": "/?q=p7+number&sort=rate", "test": testLink(list[0].Package, list[0].Name),
		"last": testLink(list[len(list)-1].Package, list[len(list)-1].Name), "reports": "/reports",
	} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				w := get(s, path)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code)
				}
				n = w.Body.Len()
			}
			b.ReportMetric(float64(n)/1024, "kB")
		})
	}
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			s.refresh(ctx)
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.load(ctx, nil); err != nil {
				b.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "live-MB")
		b.ReportMetric(peak()/1024, "peak-MB")
	})
}

// peak is the most memory that the process has had, in kB; 0 where the system does not
// tell.
func peak() (kB float64) {
	data, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	fmt.Sscan(rest, &kB)
	return kB
}
