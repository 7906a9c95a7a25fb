package runner

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Merger combines the files of runs of several sessions. Each session made some of the runs,
// and the result is the file that one session would have left. A Merger holds no runs in memory.
type Merger struct {
	// Modules and Root are those of the [Exec] of the runs. Kept returns the current path of one
	// of their source files. Without Kept, failures are not explained again.
	Modules []string
	Root    string
	Kept    func(path string) string

	dir      string
	store    *store
	whole    Results // without packages
	packages map[string]*merged
	order    []*merged
	ended    time.Time
}

// A merged package.
type merged struct {
	Package
	left int // warnings that are left out
	logs map[place]bool
}

// NewMerger begins the file in a run directory. It uses N and Controls of whole.
func NewMerger(dir string, whole Results) (*Merger, error) {
	m := &Merger{dir: dir, whole: whole, packages: make(map[string]*merged)}
	m.whole.Packages, m.whole.Interrupted = nil, false
	var err error
	m.store, err = createStore(dir, &m.whole)
	return m, err
}

// An addition is one file of runs that is being added.
type addition struct {
	m     *Merger
	visit func(*Run) error
	pkgs  map[string]*packageRecord // the last record of each
	began time.Time
	end   endRecord
}

// Add adds the file of runs of one session. It calls visit with each run before it is written.
// visit may change the run, or return why it can't be used. label precedes the warnings of the
// session. After an error nothing more is added.
func (m *Merger) Add(r io.Reader, label string, visit func(*Run) error) error {
	a := &addition{m: m, visit: visit, pkgs: make(map[string]*packageRecord)}
	if err := eachRecord(r, a.record); err != nil {
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

func (a *addition) record(rec *record) error {
	switch {
	case rec.Begin != nil:
		a.began = rec.Begin.Started
	case rec.Package != nil:
		a.addPackage(rec.Package)
	case rec.Run != nil:
		return a.addRun(rec.Run)
	case rec.Signature != nil:
		a.m.store.add(*rec)
	case rec.Logs != nil:
		a.addLogs(rec.Logs)
	case rec.End != nil:
		a.end = *rec.End
	}
	return nil
}

// addPackage notes a package. The loader needs it before its runs.
func (a *addition) addPackage(rec *packageRecord) {
	a.pkgs[rec.ImportPath] = rec
	if a.m.packages[rec.ImportPath] == nil {
		p := &merged{Package: Package{Target: rec.Target}, logs: make(map[place]bool)}
		a.m.packages[rec.ImportPath] = p
		a.m.order = append(a.m.order, p)
		a.m.store.addPackage(&p.Package)
	}
}

func (a *addition) addRun(run *Run) error {
	if a.pkgs[run.Package] == nil {
		return fmt.Errorf("a run of package %q, which is not in the file", run.Package)
	}
	if err := a.visit(run); err != nil {
		return err
	}
	a.m.ended = later(a.m.ended, run.Started.Add(run.Wall))
	a.m.store.addRun(run)
	return nil
}

// maxLogs is how many places in a package from which tests print are kept.
const maxLogs = 100_000

func (a *addition) addLogs(rec *logsRecord) {
	p := a.m.packages[rec.Package]
	if p == nil {
		return
	}
	for _, at := range rec.Places {
		if len(p.logs) < maxLogs {
			p.logs[at] = true
		}
	}
}

// explain explains failures again with the logs of all sessions, as one session does when its
// runs are over.
func (m *Merger) explain() error {
	explainers := make(map[string]*explainer)
	for _, p := range m.order {
		if len(p.logs) > 0 && m.Kept != nil {
			e := newExplainer(p.Target, m.Modules, m.Root)
			e.src.here = m.Kept
			e.learn(p.logs)
			explainers[p.ImportPath] = e
		}
	}
	if len(explainers) == 0 {
		return nil
	}
	f, err := os.Open(filepath.Join(m.dir, storeName))
	if err != nil {
		return err
	}
	defer f.Close()
	return eachRecord(f, func(rec *record) error {
		if rec.Run == nil || explainers[rec.Run.Package] == nil {
			return nil
		}
		e := explainers[rec.Run.Package]
		for _, o := range e.anew(rec.Run) {
			m.store.addSignature(rec.Run, o) // after the part read here: these lines are skipped
		}
		return nil
	})
}

// anew explains the outcomes of a run again that new knowledge of logs may change, and returns them.
func (e *explainer) anew(run *Run) (list []*Outcome) {
	for _, o := range run.Outcomes {
		logged := func(c check) bool { return e.logs[c.place] }
		if o.Status.Failing() && o.Dump == "" && slices.ContainsFunc(checksIn(o.Output), logged) {
			e.explain(o, run)
			list = append(list, o)
		}
	}
	return list
}

// maxMerged is how many warnings of sessions are kept for one package.
const maxMerged = 5

// fold adds what one session reports about a package.
func (p *merged) fold(rec *packageRecord, label string) {
	p.NoTestFiles = p.NoTestFiles || rec.NoTestFiles
	p.NoTests = p.NoTests || rec.NoTests
	p.Err = cmp.Or(p.Err, rec.Err.error(rec.ImportPath))
	p.TracedErr = cmp.Or(p.TracedErr, rec.TracedErr.error(rec.ImportPath))
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
func (m *Merger) Close(warnings ...string) error {
	err := m.explain()
	for _, p := range m.order {
		if p.left > 0 {
			p.warn("%d more warnings of shards", p.left)
		}
		m.store.addPackage(&p.Package)
	}
	m.whole.Warnings = append(warnings, m.whole.Warnings...)
	m.whole.Elapsed = max(m.ended.Sub(m.whole.Started), 0)
	m.store.end(&m.whole)
	return errors.Join(err, m.store.close())
}

// Err returns why something could not be written, or nil.
func (m *Merger) Err() error {
	m.store.mu.Lock()
	defer m.store.mu.Unlock()
	return m.store.err
}
