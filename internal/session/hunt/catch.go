package hunt

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// A Catch is a failure that a hunt has provoked.
type Catch struct {
	Test    *Test
	Finding *experiment.Finding
	page    string             // name of its report, without extension
	Replay  string             // of its replay file
	left    *finding.Pollution // of package variables by tests before it, nil if not known
}

// Catches returns the catches, those on lines that have changed before all others, then
// by dose, the smallest first.
func (j *Hunt) Catches() []*Catch {
	var list []*Catch
	for _, p := range j.Tests {
		if p.order != nil && p.order.Verdict != proof.None {
			list = append(list, &Catch{Test: p, Finding: p.order, left: p.left})
		}
		if p.Result == nil {
			continue
		}
		for _, f := range p.Result.Findings {
			list = append(list, &Catch{Test: p, Finding: f})
		}
	}
	slices.SortStableFunc(list, func(a, b *Catch) int {
		return cmp.Or(session.TrueFirst(j.catchOnChange(a), j.catchOnChange(b)),
			cmp.Compare(a.Finding.Smallest, b.Finding.Smallest), cmp.Compare(b.Finding.Verdict, a.Finding.Verdict))
	})
	return list
}

// catchOnChange reports whether a place of a catch lies on a line that has changed.
func (j *Hunt) catchOnChange(c *Catch) bool {
	if j.Diff == nil {
		return false
	}
	p := c.Proof()
	lines := p.Where()
	if at := p.Hold(); at != nil {
		lines = append(lines, at.Shown)
	}
	return slices.ContainsFunc(lines, func(span proof.Span) bool {
		return j.Diff.Has(filepath.Join(j.Plan.Sites.Root, filepath.FromSlash(span.File)), span.Start, span.End)
	})
}

// provoked counts the catches that did not fail anyway.
func provoked(list []*Catch) int {
	n := 0
	for _, c := range list {
		if !c.Finding.Always {
			n++
		}
	}
	return n
}

// writeReplays writes a replay file for each catch, beside its report and with the same name.
func (j *Hunt) writeReplays(ctx context.Context, an *analyze.Analyzer, list []*Catch,
	files map[*finding.Test]string) error {
	used := make(map[string]bool)
	for _, c := range list {
		for t, name := range files {
			if t.Package == c.Test.Lab.Target.ImportPath &&
				(t.Name == c.Finding.Sig.Test || c.page == "" && trace.TopTest(t.Name) == c.Finding.Test) {
				c.page = name
			}
		}
		if c.Finding.Always {
			continue // it fails by itself
		}
		base := cmp.Or(c.page, text.DirName(path.Base(c.Test.Lab.Target.ImportPath)+"."+c.Finding.Test))
		name := base
		for i := 2; used[name]; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		used[name] = true
		c.Replay = name + proof.Suffix
		p := c.Proof()
		an.Explain(ctx, p) // a replay names the lines that the page does
		if err := p.WriteFile(filepath.Join(j.Dir, c.Replay)); err != nil {
			return err
		}
	}
	return nil
}

// Proof is the content of the replay file.
func (c *Catch) Proof() *proof.Proof { return c.Test.Lab.Proof(c.Test.Search, c.Finding) }

// Told returns the result of the hunt, with the verdict of its experiments on each test. It has no tests if nothing
// was provoked.
func (j *Hunt) Told(ctx context.Context, list []*Catch) *finding.Result {
	started := j.Budget.Began
	if j.Result == nil {
		home, _ := os.UserHomeDir()
		return &finding.Result{
			Started: started, Elapsed: time.Since(started), Module: j.Plan.Sites.Module, Sites: j.Plan.Sites,
			Go: j.Plan.Toolchain.GOVERSION, Home: home,
		}
	}
	r := *j.Result
	r.Tests = nil
	for _, t := range j.Result.Tests {
		shown := *t
		if len(t.Verdicts) == 0 { // its page has none: a test that always fails, or a subtest without a page
			shown.Verdicts = j.verdictsOf(ctx, t, list)
		}
		r.Tests = append(r.Tests, &shown)
	}
	return &r
}

// verdictsOf are the verdicts on the catches that are reported for a test, the best first.
func (j *Hunt) verdictsOf(ctx context.Context, t *finding.Test, list []*Catch) (out []finding.Verdict) {
	for _, c := range list {
		if c.Test.Lab.Target.ImportPath == t.Package && c.reportedFor(j.Result.Tests) == t.Name {
			out = append(out, j.Verdict(ctx, j.An, c))
		}
	}
	slices.SortStableFunc(out, func(a, b finding.Verdict) int { return cmp.Compare(b.Class(), a.Class()) })
	return out
}

// reportedFor returns the test that a catch is reported for: the subtest that failed, or the test
// that contains it if the subtest has no report of its own.
func (c *Catch) reportedFor(tests []*finding.Test) string {
	name := c.Finding.Sig.Test
	has := func(t *finding.Test) bool { return t.Package == c.Test.Lab.Target.ImportPath && t.Name == name }
	if !slices.ContainsFunc(tests, has) {
		name = trace.TopTest(c.Finding.Test)
	}
	return name
}
