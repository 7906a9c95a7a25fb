package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fdebug/fdebug/trace/instrument"
)

// instrument measures Prepare on packages of the module in the current directory: go list,
// parsing, rewriting and writing, with the shadow GOROOT already there.
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
			Patterns: patterns, Out: filepath.Join(b.dir, fmt.Sprint("plan", i)),
		})
		if err != nil {
			return err
		}
		if i > 0 { // the first one may have made the shadow GOROOT
			times.add(time.Since(start).Seconds())
		}
	}
	bytes, err := originalSize(plan)
	if err != nil {
		return err
	}
	s := times.median()
	t := newTable("packages", "files", "source", "blocks", "time", "source/s", "blocks/s", "n")
	t.row(fmt.Sprint(len(plan.Packages)), fmt.Sprint(len(plan.Originals)), size(bytes),
		count(int64(len(plan.Sites.Blocks))),
		times.seconds(), size(int64(float64(bytes)/s)), count(int64(float64(len(plan.Sites.Blocks))/s)),
		fmt.Sprint(times.n()))
	return b.print("Instrumenting, go list included, by the clock", t)
}

func originalSize(plan *instrument.Plan) (int64, error) {
	var sum int64
	for _, name := range plan.Originals {
		fi, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		sum += fi.Size()
	}
	return sum, nil
}
