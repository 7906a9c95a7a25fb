package runner

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// Logs are the places in a package from which passing tests printed.
type Logs map[trace.Frame]bool

const maxLogs = 100_000 // places that are kept

// Add adds those of a record.
func (l Logs) Add(rec *LogsRecord) {
	for _, at := range rec.Places {
		if len(l) < maxLogs {
			l[at] = true
		}
	}
}

// ExplainAgain explains failures in the file of a run directory again with the logs of all sessions, by import path,
// as one session does when its runs are over. x has the Modules and Root of the runs, and where a source file is Here.
func (s *Store) ExplainAgain(dir string, x *Exec, packages []*Package, logs map[string]Logs) error {
	explainers := make(map[string]*explainer)
	for _, p := range packages {
		if l := logs[p.ImportPath]; len(l) > 0 {
			e := x.newExplainer(p.Target)
			e.learn(l)
			explainers[p.ImportPath] = e
		}
	}
	if len(explainers) == 0 {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, storeName))
	if err != nil {
		return err
	}
	defer f.Close()
	return EachRecord(f, func(rec *Record) error {
		if rec.Run == nil || explainers[rec.Run.Package] == nil {
			return nil
		}
		e := explainers[rec.Run.Package]
		for _, o := range e.anew(rec.Run) {
			s.addSignature(rec.Run, o) // after the part read here: these lines are skipped
		}
		return nil
	})
}

// anew explains the outcomes of a run again that new knowledge of logs may change, and returns them.
func (e *explainer) anew(run *Run) (list []*Outcome) {
	for _, o := range run.Outcomes {
		logged := func(c check) bool { return e.logs[c.Frame] }
		if o.Status.Failing() && o.Dump == "" && slices.ContainsFunc(checksIn(o.Output), logged) {
			e.explain(o, run)
			list = append(list, o)
		}
	}
	return list
}
