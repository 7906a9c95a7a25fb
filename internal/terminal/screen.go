package terminal

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// A Screen is where results are shown.
type Screen struct {
	*session.Console
	// Earlier adds to each test its outcomes before the run; nil adds nothing.
	Earlier func(ctx context.Context, an *analyze.Analyzer, r *finding.Result)
	Brief   *report.Brief // what is told in place of all else, nil if that is not asked for
}

// Tell adds a result to the brief, if there is one: with the directory of its pages, what all its runs came to, and the
// command to go on with.
func (s *Screen) Tell(r *finding.Result, dir, said, next string) error {
	if s.Brief == nil {
		return nil
	}
	s.Brief.Said, s.Brief.Next = strings.TrimSpace(s.Brief.Said+" "+said), next
	return s.Brief.Add(r, dir)
}

// Write writes the reports, and says which of their source could not be kept. It returns the
// names of the test pages.
func (s *Screen) Write(ctx context.Context, an *analyze.Analyzer, r *finding.Result) (
	map[*finding.Test]string, error) {
	ctx, cancel := exit.Closing(ctx)
	defer cancel()
	if s.Earlier != nil {
		s.Earlier(ctx, an, r)
	}
	names, err := report.WriteDir(ctx, an.Dir, r)
	if err != nil {
		return nil, err
	}
	if err := an.KeepErr(); err != nil {
		s.Warnf("the source that the reports show is not kept for later: %v", err)
	}
	return names, nil
}

// SourcesOf is a result that has nothing but the source of a module.
func SourcesOf(sites *trace.Sites) *finding.Result {
	return &finding.Result{Sites: sites, Module: sites.Module, Source: func(path string) ([]byte, error) {
		return os.ReadFile(filepath.Join(sites.Root, filepath.FromSlash(path)))
	}}
}
