package instrument

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// BenchmarkRewrite parses and rewrites a large package of the standard library. It does not
// include the time for go list and the build; see internal/lab/bench.
func BenchmarkRewrite(b *testing.B) {
	tc, err := FindToolchain(b.Context(), "go", ".")
	if err != nil {
		b.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(tc.GOROOT, "src", "go", "types", "*.go"))
	if err != nil || len(names) == 0 {
		b.Skip("no source of the standard library")
	}
	sources := make([][]byte, len(names))
	size := int64(0)
	for i, name := range names {
		if sources[i], err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
		size += int64(len(sources[i]))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	blocks := 0
	for b.Loop() {
		sites := &trace.Sites{Blocks: make([]trace.Block, 1)}
		chosen := chooseNames(sources)
		for i, src := range sources {
			fset, f, err := parse(names[i], src)
			if err != nil {
				b.Fatal(err)
			}
			rewrite(sites, trace.File{Path: names[i]}, fset, f, src, chosen)
		}
		blocks = len(sites.Blocks)
	}
	b.ReportMetric(float64(blocks)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
}
