package shard

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
)

// A runMerger combines the files of runs of several sessions. Each session made some of the runs,
// and the result is the file that one session would have left. What is a failed check and what a
// log each has found out by itself. A runMerger holds no runs in memory.
type runMerger struct {
	store    *runner.Store
	whole    runner.Results // without packages
	packages map[string]*merged
	order    []*merged
	ended    time.Time
}

// A merged package.
type merged struct {
	runner.Package
	left int // warnings that are left out
}

// newRunMerger begins the file in a run directory. It uses N and Controls of whole.
func newRunMerger(dir string, whole runner.Results) (*runMerger, error) {
	m := &runMerger{whole: whole, packages: make(map[string]*merged)}
	m.whole.Packages, m.whole.Interrupted = nil, false
	var err error
	m.store, err = runner.CreateStore(dir, &m.whole)
	return m, err
}

// An addition is one file of runs that is being added.
type addition struct {
	m     *runMerger
	visit func(*runner.Run) error
	pkgs  map[string]*runner.PackageRecord // the last record of each
	began time.Time
	end   runner.EndRecord
}

// Add adds the file of runs of one session. It calls visit with each run before it is written.
// visit may change the run, or return why it can't be used. label precedes the warnings of the
// session. After an error nothing more is added.
func (m *runMerger) Add(r io.Reader, label string, visit func(*runner.Run) error) error {
	a := &addition{m: m, visit: visit, pkgs: make(map[string]*runner.PackageRecord)}
	if err := runner.EachRecord(r, a.record); err != nil {
		return err
	}
	for _, p := range m.order {
		if rec := a.pkgs[p.ImportPath]; rec != nil {
			p.fold(rec, label)
		}
	}
	m.ended = later(m.ended, a.began.Add(a.end.Elapsed))
	m.whole.OverBudget = m.whole.OverBudget || a.end.OverBudget
	for _, w := range a.end.Warnings {
		m.whole.Warnings = append(m.whole.Warnings, label+w)
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (a *addition) record(rec *runner.Record) error {
	switch {
	case rec.Begin != nil:
		a.began = rec.Begin.Started
	case rec.Package != nil:
		a.addPackage(rec.Package)
	case rec.Run != nil:
		return a.addRun(rec.Run)
	case rec.Signature != nil:
		a.m.store.Add(*rec)
	case rec.End != nil:
		a.end = *rec.End
	}
	return nil
}

// addPackage notes a package. The loader needs it before its runs.
func (a *addition) addPackage(rec *runner.PackageRecord) {
	a.pkgs[rec.ImportPath] = rec
	if a.m.packages[rec.ImportPath] == nil {
		p := &merged{Package: runner.Package{Target: rec.Target}}
		a.m.packages[rec.ImportPath] = p
		a.m.order = append(a.m.order, p)
		a.m.store.AddPackage(&p.Package)
	}
}

func (a *addition) addRun(run *runner.Run) error {
	if a.pkgs[run.Package] == nil {
		return fmt.Errorf("a run of package %q, which is not in the file", run.Package)
	}
	if err := a.visit(run); err != nil {
		return err
	}
	a.m.ended = later(a.m.ended, run.Started.Add(run.Wall))
	a.m.store.Add(runner.Record{Kind: "run", Run: run})
	return nil
}

// maxMerged is how many warnings of sessions are kept for one package.
const maxMerged = 5

// fold adds what one session reports about a package.
func (p *merged) fold(rec *runner.PackageRecord, label string) {
	p.NoTestFiles = p.NoTestFiles || rec.NoTestFiles
	p.NoTests = p.NoTests || rec.NoTests
	err, traced := rec.Errs()
	p.Err, p.TracedErr = cmp.Or(p.Err, err), cmp.Or(p.TracedErr, traced)
	if rec.Unfinished != nil && (p.Unfinished == nil || rec.Unfinished.Wall > p.Unfinished.Wall) {
		p.Unfinished = rec.Unfinished
	}
	for _, w := range rec.Warnings {
		if len(p.Warnings) == maxMerged {
			p.left++
			continue
		}
		p.Warnings = append(p.Warnings, label+strings.TrimSpace(w))
	}
}

// Close ends the file. warnings apply to the whole.
func (m *runMerger) Close(warnings ...string) error {
	for _, p := range m.order {
		if p.left > 0 {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%d more warnings of shards", p.left))
		}
		m.store.AddPackage(&p.Package)
	}
	m.whole.Warnings = append(warnings, m.whole.Warnings...)
	m.whole.Elapsed = max(m.ended.Sub(m.whole.Started), 0)
	m.store.End(&m.whole)
	return m.store.Close()
}
