package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/cover"

	"github.com/fdebug/fdebug/internal/lab/covercheck"
	"github.com/fdebug/fdebug/internal/runner"
)

// A lineResult says how a package's statements compare with cmd/cover's.
type lineResult struct {
	agree     int
	undecided int      // cover cannot tell whether they ran, or the trace was too long
	unsteady  int      // runs of one binary disagree
	untraced  int      // in functions without probes
	expected  []string // functions with statements that disagree for a known reason
	disagree  []string // statements, with the result of each side
	why       string   // why nothing was compared
}

func (l *lineResult) add(m *lineResult) {
	l.agree += m.agree
	l.undecided += m.undecided
	l.unsteady += m.unsteady
	l.untraced += m.untraced
	l.expected = append(l.expected, m.expected...)
	l.disagree = append(l.disagree, m.disagree...)
}

func (l *lineResult) all() int {
	return l.agree + l.undecided + l.unsteady + l.untraced + len(l.expected) + len(l.disagree)
}

// A lineComparison runs a package's tests with cmd/cover and with probes.
type lineComparison struct {
	pkg     string
	known   exceptions
	covered []map[string]*cover.Profile // of each run with cover, by file name
	hit     []hits                      // of each run with probes
}

// compareLines compares the statements of a package. Because of timing and goroutines some of
// them come and go: cover runs twice, and if a statement differs both sides run up to three more
// times.
func (s *suite) compareLines(ctx context.Context, dir string, target runner.Target, traced *side) (*lineResult, error) {
	build := s.plainBuild(dir)
	build.Flags = append(build.Flags, "-covermode=set")
	bin, err := build.Test(ctx, target)
	if err != nil {
		return &lineResult{why: firstLine(err)}, ctx.Err()
	}
	c := lineComparison{pkg: target.ImportPath, known: s.exceptions}
	if err := s.runCover(ctx, bin, dir, &c); err != nil {
		return &lineResult{why: err.Error()}, ctx.Err()
	}
	traced.budget = linesBudget
	matcher := covercheck.NewMatcher(s.plan.Sites)
	for range 1 + reruns {
		if err := s.runCover(ctx, bin, dir, &c); err != nil {
			return nil, err
		}
		_, hit, err := traced.execute(ctx, nil)
		if err != nil {
			return nil, err
		}
		if hit.err != nil {
			return &lineResult{why: hit.err.Error()}, nil
		}
		c.hit = append(c.hit, hit)
		r, err := c.result(matcher)
		if err != nil || len(r.disagree) == 0 {
			return r, err
		}
	}
	return c.result(matcher)
}

// runCover runs the tests once with cmd/cover.
func (s *suite) runCover(ctx context.Context, bin *runner.Binary, dir string, c *lineComparison) error {
	x := s.exec(bin)
	profile := filepath.Join(dir, "cover.out")
	defer os.Remove(profile)
	x.Select.Extra = append(x.Select.Extra, "-test.coverprofile="+profile)
	if _, err := x.Run(ctx); err != nil {
		return err
	}
	profiles, err := cover.ParseProfiles(profile)
	if err != nil {
		return fmt.Errorf("no coverage profile: %w", err)
	}
	m := make(map[string]*cover.Profile)
	for _, p := range profiles {
		m[p.FileName] = p
	}
	c.covered = append(c.covered, m)
	return nil
}

// result judges all statements by all runs.
func (c *lineComparison) result(matcher *covercheck.Matcher) (*lineResult, error) {
	r := new(lineResult)
	for name, prof := range c.covered[0] {
		statements, err := matcher.File(prof)
		if err != nil {
			return nil, err
		}
		for _, s := range statements {
			c.judge(r, name, s)
		}
	}
	return r, nil
}

func (c *lineComparison) judge(r *lineResult, name string, s covercheck.Statement) {
	covered, steady := c.isCovered(name, s.Cover)
	hit, same := c.isHit(s.Block)
	switch {
	case s.Func == "":
		r.untraced++
	case s.Block == 0:
		r.disagree = append(r.disagree, fmt.Sprintf("%s: has no block", s.Pos))
	case !steady || !same:
		r.unsteady++
	case covered == hit:
		r.agree++
	case !s.Decides(covered), covered && c.isCut():
		r.undecided++
	case c.known.reason(c.pkg, linesOf+s.Func) != "":
		r.expected = append(r.expected, s.Func)
	default:
		r.disagree = append(r.disagree, fmt.Sprintf("%s: run according to cover: %v, according to the trace: %v",
			s.Pos, covered, hit))
	}
}

// isCut reports whether a block that is in no trace may have run.
func (c *lineComparison) isCut() bool {
	return slices.ContainsFunc(c.hit, func(h hits) bool { return h.cut })
}

// isCovered reports whether a block is covered according to cover, and whether all runs agree.
func (c *lineComparison) isCovered(name string, block int) (covered, steady bool) {
	covered = c.covered[0][name].Blocks[block].Count > 0
	for _, m := range c.covered[1:] {
		if (m[name].Blocks[block].Count > 0) != covered {
			return covered, false
		}
	}
	return covered, true
}

// isHit reports whether a block was run according to the traces, and whether all agree.
func (c *lineComparison) isHit(block int) (hit, same bool) {
	hit = c.hit[0].blocks[block]
	for _, h := range c.hit[1:] {
		if h.blocks[block] != hit {
			return hit, false
		}
	}
	return hit, true
}
