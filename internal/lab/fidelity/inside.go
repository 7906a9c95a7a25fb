package main

import (
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/internal/values"
	"github.com/fdebug/fdebug/trace/instrument"
)

// splitStatements rewrites all packages anew, with a position inside each statement that can have one. A hunt does so
// for those packages alone in which goroutines meet.
func (s *suite) splitStatements(ctx context.Context) error {
	x := source.Load(ctx, source.Config{Dir: s.plan.Sites.Root, Flags: s.buildFlags, Sites: s.plan.Sites,
		Arch: s.plan.Toolchain.GOARCH, Exported: s.tracedBuild(s.work).Exported})
	var list []instrument.Inside
	seen := make(map[string]bool)
	for _, f := range s.plan.Sites.Files {
		if pkg := path.Dir(f.Name); !seen[pkg] {
			seen[pkg] = true
			list = append(list, values.Inside(x, s.plan.Sites, pkg)...)
		}
	}
	fmt.Fprintf(s.progress, "positions inside %d statements\n", len(list))
	if len(list) == 0 {
		return ctx.Err()
	}
	plan, err := s.plan.Inside(filepath.Join(s.work, "inside"), list)
	if err == nil {
		s.plan = plan
	}
	return err
}
