package tracker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/testlog"
)

// Remember adds a run directory to the history, and all others in the store that are missing
// there: those of killed processes, or all if the history was lost. It only adds to the result:
// if it fails, it just says so. It reports whether runs may be removed: if a server is away, they
// must wait for it.
func (k *Keeper) Remember(ctx context.Context, st store.Store, dir string) bool {
	return k.RememberRuns(ctx, st, dir, nil)
}

// RememberRuns is Remember for a run directory whose runs are already loaded, because there may
// be very many; nil to load them.
func (k *Keeper) RememberRuns(ctx context.Context, st store.Store, dir string, runs *runner.Results) bool {
	db, err := k.openHistory(ctx, st)
	if err == nil {
		defer db.Close()
		if runs != nil {
			_, err = addRuns(ctx, db, dir, "", runs)
		}
		err = errors.Join(err, k.catchUp(ctx, db, st, dir))
	}
	if err != nil {
		k.warnHistory(err)
	}
	if isAway(err) {
		k.hintPush(dir)
		return false
	}
	return true
}

// warnHistory says that the history is incomplete.
func (k *Keeper) warnHistory(err error) {
	k.Warnf("not added to the history: %v", err)
	var h *advice.Error
	if errors.As(err, &h) {
		for _, hint := range h.Hints {
			fmt.Fprintf(k.Stderr, "hint: %s\n", Redact(hint))
		}
	}
}

// openHistory opens the history: on the server of -db, or else in the store. A damaged history is
// set aside, and rebuilt from the stored runs.
func (k *Keeper) openHistory(ctx context.Context, st store.Store) (*history.DB, error) {
	if k.URL != "" {
		db, err := k.Team.Open(ctx, k.URL)
		return db, explainServer(err)
	}
	if err := st.Make(); err != nil {
		return nil, err
	}
	file := filepath.Join(st.Dir, history.Name)
	db, err := history.Open(ctx, file)
	if history.IsDamaged(err) {
		aside, moved := history.SetAside(file, time.Now())
		if moved != nil {
			return nil, errors.Join(err, moved)
		}
		k.Warnf(
			"%s was damaged and is now %s; the history is made anew of the runs that are stored, and files that were imported must be imported again",
			k.Show(file), filepath.Base(aside))
		if db, err = history.Open(ctx, file); err == nil {
			err = k.catchUp(ctx, db, st, "")
		}
	}
	if history.IsNewer(err) {
		return nil, advice.With(err,
			"a newer fdebug has written it: install that one, or use another directory with -o DIR")
	}
	return db, err
}

// catchUp adds the runs of a store that are not in the history. own is the directory of
// a run that this process is at, "" for none.
func (k *Keeper) catchUp(ctx context.Context, db *history.DB, st store.Store, own string) error {
	ids, err := st.Runs()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var failed []error
	for _, id := range ids {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		dir := filepath.Join(st.Dir, "runs", id)
		if id != filepath.Base(own) && st.InUse(id) {
			continue
		}
		_, err := addRuns(ctx, db, dir, "", nil)
		if isAway(err) {
			return err // it would fail for the others too
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// addRuns adds the run in a directory, unless it is known, and the place of its collected
// reports. It returns how many runs were new. Results are loaded if they are nil.
func addRuns(ctx context.Context, db *history.DB, dir, reports string, results *runner.Results) (int, error) {
	var meta analyze.Meta
	if err := meta.ReadFile(dir); err != nil {
		return 0, err
	}
	s := sessionOf(&meta, dir)
	s.Reports = reports
	if known, err := db.Complete(ctx, s.Key); err != nil || known && reports == "" {
		return 0, err
	} else if known {
		return db.Add(ctx, &s, nil)
	}
	if results == nil {
		var err error
		if results, err = runner.Load(dir); err != nil {
			return 0, err
		}
	}
	s.Started = results.Started
	a := &adder{ctx: ctx, db: db, session: s}
	if err := addResults(a, results); err != nil {
		return a.fresh, err
	}
	return a.fresh, a.end(verdictsIn(dir))
}

// sessionOf returns the session of a run directory, without its time.
func sessionOf(meta *analyze.Meta, dir string) history.Session {
	s := history.Session{Key: meta.Key, Source: history.FromRun,
		Env: history.Environment{Go: meta.Go, Platform: meta.Platform}}
	if s.Key == "" {
		s.Key = "run " + filepath.Base(dir) // from an fdebug without a history
	}
	if meta.Hunt {
		s.Source = history.FromHunt
	}
	if meta.Origin != nil {
		setOrigin(&s, *meta.Origin)
	}
	return s
}

// An adder adds the runs of a session, many in one transaction.
type adder struct {
	ctx     context.Context
	db      *history.DB
	session history.Session
	runs    []history.Run
	results int
	fresh   int // runs that were new
}

// Others wait for a transaction, so it must not be long.
const (
	batchRuns    = 500
	batchResults = 50_000
)

func (a *adder) add(run history.Run) error {
	a.runs = append(a.runs, run)
	a.results += len(run.Results)
	if len(a.runs) < batchRuns && a.results < batchResults {
		return nil
	}
	return a.flush()
}

func (a *adder) flush() error {
	n, err := a.db.Add(a.ctx, &a.session, a.runs)
	a.fresh += n
	a.runs, a.results = a.runs[:0], 0
	return err
}

// end adds the last runs, and what experiments have shown.
func (a *adder) end(verdicts []history.Verdict) error {
	if err := a.flush(); err != nil {
		return err
	}
	return a.db.Conclude(a.ctx, a.session.Key, verdicts)
}

func setOrigin(s *history.Session, o provenance.Origin) {
	s.Commit = history.Commit{Hash: o.Commit, Time: o.CommitTime, Modified: o.Modified}
	s.Branch, s.Job, s.Attempt, s.Env.CI = o.Branch, o.Job, o.Attempt, o.CI
}

// addResults adds the runs of a run directory. There may be very many, so they are made as they
// are added.
func addResults(a *adder, results *runner.Results) error {
	for _, p := range results.Packages {
		only := p.OnlyRecorded() // the recorder's failures are not the test's
		for _, run := range slices.Concat(p.Runs, p.Controls) {
			r := history.Run{
				Key:     testlog.Key(p.ImportPath, run.Started), // as in the output of -json
				Package: p.ImportPath, Kind: kindOf(p, run), Started: run.Started,
				Results: testlog.Results(slices.DeleteFunc(slices.Clone(run.Outcomes), func(o *runner.Outcome) bool {
					return !run.Control && only[o.Test]
				})),
			}
			if a.session.Source == history.FromHunt { // the plain ones were chosen too: they are those that pass
				r.Kind = history.Provoked
			}
			if err := a.add(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func kindOf(p *runner.Package, run *runner.Run) history.Kind {
	switch {
	case run.Provoked != "":
		return history.Provoked
	case run.Control || p.TracedErr != nil:
		return history.Plain
	}
	return history.Recorded
}

// verdictsIn reads what experiments have shown in a run, from its replay files. It ignores what can't be read.
func verdictsIn(dir string) (list []history.Verdict) {
	for _, name := range store.Glob(dir, "*"+proof.Suffix) {
		if p, err := proof.Read(name); err == nil {
			list = append(list, remembered(p, cmp.Or(p.Signature.Test, p.Test)))
		}
	}
	return list
}

// remembered returns the part of a proof about a test that the history keeps.
func remembered(p *proof.Proof, test string) history.Verdict {
	v := history.Verdict{
		Package: p.Package, Test: test, Class: p.Verdict.String(), Kind: p.Kind(), Category: p.Category,
		Signature: p.Signature.String(), Failed: p.Confirmed.With.Failed, Of: p.Confirmed.With.Of,
	}
	if places, _ := p.Lines(); len(places) > 0 {
		v.Place = places[0]
	}
	if where := p.Where(); len(where) > 0 {
		v.Place = fmt.Sprintf("%s:%d", where[0].File, where[0].Start)
	}
	return v
}

// RememberNothing notes a hunt that has provoked nothing, and so has no directory.
func (k *Keeper) RememberNothing(ctx context.Context, j *session.Session, began time.Time) {
	ctx, cancel := exit.Closing(ctx) // what was done is recorded, interrupted or not
	defer cancel()
	if j.Store.Dir == "" {
		return
	}
	db, err := k.openHistory(ctx, j.Store)
	if err != nil {
		k.warnHistory(err)
		return
	}
	defer db.Close()
	m := j.Meta()
	a := &adder{ctx: ctx, db: db, session: history.Session{
		Key: rand.Text(), Source: history.FromHunt, Started: began,
		Env: history.Environment{Go: m.Go, Platform: m.Platform},
	}}
	setOrigin(&a.session, provenance.FromGit(ctx, j.AbsDir()).Or(provenance.FromEnv(j.Getenv)))
	if err := a.end(nil); err != nil {
		k.warnHistory(err)
	}
}
