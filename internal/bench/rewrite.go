package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fdebug/fdebug/trace/instrument"
)

// instrument measures Prepare on packages of the module in the current
// directory: go list, parsing, rewriting and writing, with the farm in place.
func (b *bench) instrument(ctx context.Context) error {
	patterns := b.args
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	var times samples
	var plan *instrument.Plan
	for i := range b.rounds + 1 {
		start := time.Now()
		var err error
		plan, err = instrument.Prepare(ctx, instrument.Config{
			Patterns: patterns, Out: filepath.Join(b.dir, fmt.Sprint("plan", i)), Cache: farmCache(b.dir),
		})
		if err != nil {
			return err
		}
		if i > 0 { // the first may have made the farm
			times.add(float64(time.Since(start)))
		}
	}
	size, err := originalSize(plan)
	if err != nil {
		return err
	}
	s := times.median() / float64(time.Second)
	w := newText("files", "source", "blocks", "time", "source/s", "blocks/s", "n")
	w.line()
	w.line(fmt.Sprint(len(plan.Originals)), fmt.Sprintf("%.2f MB", size/1e6), fmt.Sprint(len(plan.Sites.Blocks)),
		fmt.Sprintf("%.0f ms ± %.0f%%", s*1000, times.spread()*100), fmt.Sprintf("%.1f MB", size/1e6/s),
		fmt.Sprintf("%.0f", float64(len(plan.Sites.Blocks))/s), fmt.Sprint(b.rounds))
	_, err = fmt.Fprintf(b.out, "%s\n%s", machine(b.dir), w)
	return err
}

func originalSize(plan *instrument.Plan) (float64, error) {
	size := 0.0
	for _, name := range plan.Originals {
		fi, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		size += float64(fi.Size())
	}
	return size, nil
}
