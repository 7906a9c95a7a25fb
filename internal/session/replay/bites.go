package replay

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/edit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

const (
	mutants    = 15 // that are tried
	mutantsDo  = 5  // that fail the test suffice
	mutantRuns = 3  // of the test with each, at least
	mostLines  = 60 // the last that ran before the check
)

// bites asks whether the test still notices what it noticed before. How strict a test is, is its own: faults are put into
// what it calls as that was before the edit, into the lines that ran last before its checks, and the test files of both
// sides are run over it. Each fault that always failed the test before the edit must fail it now.
func (j *Judge) bites(ctx context.Context) (Condition, error) {
	switch {
	case j.sides == nil:
		return Condition{Is: Open, Says: "whether the test notices as much as before is not known"}, nil
	case len(j.sides.tests()) == 0:
		return Condition{Is: Gone, Says: "no test was edited"}, nil
	}
	was, err := j.old(ctx)
	if err != nil {
		return Condition{}, err
	}
	list, err := j.mutants(ctx, was)
	if err != nil {
		return Condition{}, err
	}
	var noticed, blind []string
	for _, m := range list {
		is, now, err := j.notices(ctx, was, m)
		if err != nil && len(noticed) == 0 {
			return Condition{}, err
		} else if err != nil {
			break // the time is up
		}
		at := fmt.Sprintf("%s (%s:%d)", m.What, path.Base(m.File), m.Line)
		if is {
			noticed = append(noticed, at)
		}
		if is && !now {
			blind = append(blind, at)
		}
		if len(noticed) == mutantsDo {
			break
		}
	}
	n := text.Plural(len(noticed), "fault")
	c := Condition{Is: Gone, Failed: len(noticed) - len(blind), Of: len(noticed),
		Says: fmt.Sprintf("all of %s that failed the test before, put into what it calls, fail it still", n)}
	switch {
	case len(blind) > 0:
		c.Is, c.Says = Weaker, fmt.Sprintf("of %s that failed the test before it passes %d: %s", n, len(blind), strings.Join(blind, ", "))
	case len(list) == 0:
		c.Says = "nothing ran outside of test files, where faults could be put"
	case len(noticed) == 0:
		c.Is, c.Says = Open, fmt.Sprintf("none of %s put into what it calls failed it before: whether it notices as much is not shown",
			text.Plural(len(list), "fault"))
	}
	return c, nil
}

// notices reports whether a fault always fails the test before the edit, and then whether the test of now fails with it.
// A test that does not build with the code before is run with that of now, if the fault is in a line that stands there too.
func (j *Judge) notices(ctx context.Context, was *Job, m edit.Mutant) (before, now bool, err error) {
	before, err = was.every(ctx, true, sure(j.r.Confirmed.Plain), map[string][]byte{m.File: m.Bytes})
	if err != nil || !before {
		return false, false, ctx.Err()
	}
	files := j.sides.tests()
	files[m.File] = m.Bytes
	passes, err := was.every(ctx, false, mutantRuns, files)
	if errors.Is(err, errUnbuilt) {
		if files = j.moved(m); files == nil {
			return false, false, nil
		}
		if passes, err = j.every(ctx, false, mutantRuns, files); errors.Is(err, errUnbuilt) {
			return false, false, nil
		}
	}
	return true, !passes, err
}

// moved returns a file after the edit with a fault that was put into the one before it, nil if its line was edited.
func (j *Judge) moved(m edit.Mutant) map[string][]byte {
	before, _ := j.before(m.File)
	file, line, ok := j.edit.Where(m.File, m.Line)
	after, edited := j.sides.After[file]
	if !edited {
		after = before
	}
	was, now, with := bytes.Split(before, newline), bytes.Split(after, newline), bytes.Split(m.Bytes, newline)
	if !ok || len(with) != len(was) || line > len(now) || !bytes.Equal(was[m.Line-1], now[line-1]) {
		return nil
	}
	now[line-1] = with[m.Line-1]
	return map[string][]byte{file: bytes.Join(now, newline)}
}

var newline = []byte("\n")

// tests returns the test files that were edited as they are now, nil for one that went.
func (s *Sides) tests() map[string][]byte {
	files := replaced(s.Before, s.After)
	maps.DeleteFunc(files, func(name string, _ []byte) bool { return !isTest(name) })
	return files
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// mutants returns faults in the code before the edit.
func (j *Judge) mutants(ctx context.Context, k *Job) ([]edit.Mutant, error) {
	lines, err := k.lastLines(ctx)
	if err != nil {
		return nil, err
	}
	src := edit.Source{}
	for name := range lines {
		if src[name], err = j.before(name); err != nil {
			return nil, err
		}
	}
	return edit.Mutants(src, lines, mutants, 1), nil
}

// lastLines returns lines that ran in a passing run, outside of test files: of the test's own goroutine the last first.
func (j *Job) lastLines(ctx context.Context) (map[string][]int, error) {
	name, err := j.exp.Traced(ctx)
	if err != nil || name == "" {
		return nil, err
	}
	t, err := trace.Open(name)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	lines, n := make(map[string][]int), 0
	for _, g := range t.GoroutinesOf(j.r.Test) {
		for i := len(g.Chunks) - 1; i >= 0 && n < mostLines; i-- {
			events, err := g.Load(i, nil)
			if err != nil {
				return nil, err
			}
			for _, e := range slices.Backward(events) {
				n += j.addLines(lines, e)
			}
		}
	}
	return lines, nil
}

// addLines adds the lines of the block of an event, and returns how many are new.
func (j *Job) addLines(lines map[string][]int, e trace.Event) (n int) {
	b, ok := e.Block()
	if !ok || !j.Plan.Sites.Has(b) {
		return 0
	}
	span, ok := j.Plan.Sites.Pos(b)
	if !ok || isTest(span.File) {
		return 0
	}
	for line := span.Start; line <= span.End; line++ {
		if !slices.Contains(lines[span.File], line) {
			lines[span.File] = append(lines[span.File], line)
			n++
		}
	}
	return n
}

// errUnbuilt is the error of code that does not build with a fault.
var errUnbuilt = errors.New("it does not build")

// every reports whether the test, with some files replaced, does the same in each of n runs: it fails, or passes. One that
// hangs does neither.
func (j *Job) every(ctx context.Context, fails bool, n int, files map[string][]byte) (bool, error) {
	dir := filepath.Join(j.Work, "mutant")
	overlay, err := session.WriteOverlay(dir, j.Plan.Sites.Root, files)
	if err != nil {
		return false, err
	}
	b := j.PlainBuild(dir)
	b.Overlay = overlay
	bin, err := b.Test(ctx, j.lab.Target)
	if err != nil {
		return false, cmp.Or(ctx.Err(), errUnbuilt)
	}
	for range n {
		o, err := j.plainRun(ctx, bin, experiment.Trial{})
		if err != nil || o.TimedOut || o.Failed != fails {
			return false, err
		}
	}
	return true, nil
}

// sure returns how many runs must all fail for it not to be the flake itself, which fails in a share of plain runs.
func sure(plain proof.Count) int {
	rate := float64(plain.Failed+1) / float64(plain.Of+2)
	return max(mutantRuns, int(math.Ceil(math.Log(stats.Strong)/math.Log(rate))))
}
