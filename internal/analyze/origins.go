package analyze

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// An unvalued is a place where chance enters and no value was recorded.
type unvalued struct {
	source, expr string
	at           trace.Frame
}

// origins fills in from which of the sites that draw the operands among them may be
// computed, as far as what ran for a failure shows, and returns the other origins that
// they have.
func (an *Analyzer) origins(ctx context.Context, sites []divergence.ValueSite, t *finding.Test,
	f *finding.Failure) map[int][]unvalued {
	x, ran := an.Load(ctx, an.packagesWith(sites)), Blocks(ctx, filepath.Dir(an.Dir), an.Sites, an.runs, t, f)
	drawn := make(map[string]int) // sites by place
	for i, s := range sites {
		if s.Source != "" {
			drawn[fmt.Sprintf("%s at %s:%d", s.Source, s.File, s.Line)] = i
		}
	}
	out := make(map[int][]unvalued)
	for i := range sites {
		s := &sites[i]
		s.From = nil
		e := x.Expr(s.File, s.Line, s.Expr)
		if s.Decides == 0 || e == nil {
			continue
		}
		for _, o := range x.Origins(e, func(b int) bool { return ran[b] }) {
			file, line := x.Place(o)
			if n, ok := drawn[fmt.Sprintf("%s at %s:%d", o.Origin, file, line)]; !ok {
				at := trace.Frame{File: filepath.Join(an.Sites.Root, filepath.FromSlash(file)), Line: line}
				out[i] = append(out[i], unvalued{o.Origin, x.Text(o.Node), at})
			} else if n != i && !slices.Contains(s.From, n) {
				s.From = append(s.From, n)
			}
		}
	}
	return out
}

// packagesWith returns the import paths of the packages that sites lie in.
func (an *Analyzer) packagesWith(sites []divergence.ValueSite) []string {
	var list []string
	for _, f := range an.Sites.Files {
		if p := path.Dir(f.Name); !slices.Contains(list, p) &&
			slices.ContainsFunc(sites, func(s divergence.ValueSite) bool { return s.File == f.Path }) {
			list = append(list, p)
		}
	}
	return list
}
