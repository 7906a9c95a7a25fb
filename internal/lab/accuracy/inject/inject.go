package inject

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Run makes mutants and measures what fdebug finds, as far as that is not done yet, and writes
// the table to w.
func Run(ctx context.Context, c Config, w io.Writer) error {
	l, modules, err := newLab(c)
	if err != nil {
		return err
	}
	defer l.state.file.Close()
	if c.Again {
		return l.again(ctx, w)
	} else if c.Count == 0 {
		return l.print(w)
	}
	if err := l.work(ctx, modules, max(c.Workers, 1)); err != nil {
		l.print(w)
		return err
	}
	return l.print(w)
}

func newLab(c Config) (*lab, []*module, error) {
	modules, err := parseModules(c.Modules)
	if err != nil {
		return nil, nil, err
	}
	ops, err := chosen(c.Only)
	if err != nil {
		return nil, nil, err
	}
	l := &lab{
		dir: c.Dir, tmp: filepath.Join(c.Dir, "tmp"), fdebug: c.Fdebug, seed: c.Seed, n: c.N, plain: c.Plain,
		count: c.Count, most: c.Most,
		slow: c.Slow, silent: c.Silent, kinds: c.Kinds, operators: ops, log: c.Log, taken: make(map[string]int),
	}
	l.prepareStep, l.tryStep, l.measureStep = l.prepare, l.try, l.measure
	for _, name := range []string{"modules", "mutants", "cover", "original", "scratch", "tmp"} {
		if err := os.MkdirAll(filepath.Join(l.dir, name), 0o777); err != nil {
			return nil, nil, err
		}
	}
	s := setup{Seed: c.Seed, Silent: c.Silent, Plain: c.Plain, N: c.N, Most: c.Most,
		Slow: c.Slow.Seconds(), Modules: c.Modules, Only: strings.Join(c.Only, ","), Kinds: c.Kinds}
	l.state, err = openState(filepath.Join(l.dir, "state.jsonl"), s, c.Again || c.Count == 0)
	return l, modules, err
}

// work does all remaining steps.
func (l *lab) work(ctx context.Context, modules []*module, workers int) error {
	if err := l.prepareAll(ctx, modules, workers); err != nil {
		return err
	}
	var all []*candidate
	for i, m := range modules {
		m := l.state.modules[m.Name]
		list, err := l.candidates(ctx, m)
		if err != nil {
			return err
		}
		l.logf("%d of %d modules read: %s, %d places", i+1, len(modules), m.Name, len(list))
		all = append(all, list...)
	}
	return l.tryAll(ctx, all, workers)
}

// tryAll tries candidates and measures those that are in, until there are enough.
func (l *lab) tryAll(ctx context.Context, all []*candidate, workers int) error {
	l.queue = newQueue(arrange(all, l.seed))
	locks := make(map[string]*sync.Mutex)
	byID := make(map[string]*candidate)
	for _, c := range all {
		byID[c.ID] = c
		locks[c.Module] = new(sync.Mutex)
	}
	for _, t := range l.state.tries {
		l.queue.note(t.Mutant.Operator, t.In)
	}
	var unmeasured []*candidate
	for _, id := range l.state.order {
		c := byID[id]
		if c == nil {
			return fmt.Errorf("%s was tried and is not a candidate any more", id)
		}
		if l.state.unstable[c.Package] {
			continue
		}
		l.take(&c.Mutant)
		if l.state.measures[id] == nil {
			unmeasured = append(unmeasured, c)
		}
	}
	return parallel(ctx, workers, func(ctx context.Context) (bool, error) {
		l.mu.Lock()
		var c *candidate
		if len(unmeasured) > 0 {
			c, unmeasured = unmeasured[0], unmeasured[1:]
		}
		l.mu.Unlock()
		if c != nil {
			return true, l.measured(ctx, c)
		}
		if c = l.next(); c == nil {
			return false, nil
		}
		in, err := l.tried(ctx, c, locks[c.Module])
		if err == nil && in {
			err = l.measured(ctx, c)
		}
		return true, err
	})
}

// prepareAll gets the modules that are missing.
func (l *lab) prepareAll(ctx context.Context, modules []*module, workers int) error {
	var todo []*module
	for _, m := range modules {
		if l.state.modules[m.Name] == nil {
			todo = append(todo, m)
		}
	}
	return parallel(ctx, workers, func(ctx context.Context) (bool, error) {
		l.mu.Lock()
		if len(todo) == 0 {
			l.mu.Unlock()
			return false, nil
		}
		m := todo[0]
		todo = todo[1:]
		l.mu.Unlock()
		if err := l.prepareStep(ctx, m); err != nil {
			return true, err
		}
		l.logf("%s %s", m.Name, m.Err)
		for _, p := range m.Packages {
			l.logf("\t%s %.3fs shuffled=%v %s", p.Path, p.Usual, p.Shuffled, p.Err)
		}
		return true, l.state.write(record{Module: m})
	})
}

// tried tries a candidate. No other candidate of its module is tried at the same time.
func (l *lab) tried(ctx context.Context, c *candidate, lock *sync.Mutex) (in bool, err error) {
	lock.Lock()
	defer lock.Unlock()
	t, err := l.tryStep(ctx, c)
	if err != nil {
		return false, err
	}
	if t.In {
		l.take(&c.Mutant)
	}
	l.mu.Lock()
	l.queue.note(c.Operator, t.In)
	l.logf("%d in, %d left: %s %s: %s %d/%d in %.1fs", l.in, l.queue.left(), c.ID, c.Module, t.Verdict,
		t.Failed, t.Runs, t.Took)
	l.mu.Unlock()
	if t.ControlFailed > 0 {
		l.logf("%s: the original failed in run %d more; the package is out", c.Package, t.Control)
		l.leave(c.Package)
	}
	return t.In, l.state.write(record{Trial: t})
}

func (l *lab) measured(ctx context.Context, c *candidate) error {
	r, err := l.measureStep(ctx, &c.Mutant, c)
	if err != nil {
		return err
	}
	l.logf("measured %s: %d/%d in %.1fs %s", c.ID, r.Failed, r.Runs, r.Took, r.Err)
	return l.state.write(record{Measure: r})
}

// again compares the kept runs with fdebug again, and does not change any record.
func (l *lab) again(ctx context.Context, w io.Writer) error {
	for _, id := range l.state.order {
		if l.state.measures[id] == nil || l.state.unstable[l.state.trials[id].Mutant.Package] {
			continue
		}
		r, err := l.measureStep(ctx, &l.state.trials[id].Mutant, nil)
		if err != nil {
			return err
		}
		l.logf("%s in %.1fs %s", id, r.Took, r.Err)
		l.state.add(record{Measure: r})
	}
	return l.print(w)
}

// print writes what is known: tables to w, and a line for each mutant to mutants.jsonl.
func (l *lab) print(w io.Writer) error {
	var grades []grade
	for _, id := range l.state.order {
		if r := l.state.measures[id]; r != nil && !l.state.unstable[l.state.trials[id].Mutant.Package] {
			grades = append(grades, judge(l.state.trials[id], r))
		}
	}
	if err := printTable(w, l.operators, grades); err != nil {
		return err
	}
	if err := printYields(w, l.operators, l.state.trials); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(l.dir, "mutants.jsonl"))
	if err != nil {
		return err
	}
	return errors.Join(l.printRows(f, grades), f.Close())
}

func (l *lab) logf(format string, args ...any) {
	if l.log != nil {
		fmt.Fprintf(l.log, format+"\n", args...)
	}
}

// parallel calls step from several goroutines until it reports false or fails.
func parallel(ctx context.Context, workers int, step func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				more, err := step(ctx)
				if err != nil {
					errs[i] = err
					cancel()
				}
				if !more || err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return context.Cause(ctx)
}
