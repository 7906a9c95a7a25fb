package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/internal/history"
	"github.com/fdebug/fdebug/internal/score"
	"github.com/fdebug/fdebug/internal/store"
)

// A historyJob is `fdebug history`.
type historyJob struct {
	app    *app
	out    string
	branch string
	json   bool
	issue  bool
	skip   bool
	half   days
	limit  float64 // -limit, for -skip: the rate above which a test is skipped
	ends   days    // -for, for -skip: how long after its last failure
	test   string  // as typed; "" for all

	store store.Store
	tally *history.Tally
	list  []history.Ranked
	now   time.Time
}

func (a *app) historyCmd(args []string) (int, error) {
	j := &historyJob{app: a, half: days(score.DefaultHalfLife), ends: days(14 * 24 * time.Hour), now: time.Now()}
	fs := newFlagSet("history")
	fs.StringVar(&j.out, "o", "", "")
	a.dbFlag(fs)
	fs.StringVar(&j.branch, "branch", "", "")
	fs.BoolVar(&j.json, "json", false, "")
	fs.BoolVar(&j.issue, "issue", false, "")
	fs.BoolVar(&j.skip, "skip", false, "")
	fs.Var(&j.half, "half-life", "")
	fs.Float64Var(&j.limit, "limit", 1, "")
	fs.Var(&j.ends, "for", "")
	args, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	j.test = firstArg(args)
	if err := j.check(len(args)); err != nil {
		return exitUsage, err
	}
	return j.run(context.Background())
}

func (j *historyJob) check(n int) error {
	switch {
	case n > 1:
		return advice.Usagef("history takes one test")
	case j.issue && j.skip:
		return advice.Usagef("-issue and -skip exclude each other")
	case j.limit < 0 || j.limit > 100:
		return advice.With(advice.Usagef("-limit %v: not a rate", j.limit), "want a rate in percent such as 1")
	}
	return j.app.checkDB()
}

func (j *historyJob) run(ctx context.Context) (int, error) {
	j.store = j.app.store(j.out)
	var err error
	if j.tally, err = j.app.readHistory(ctx, j.store, history.Filter{Branch: j.branch}); err != nil {
		return exitTrouble, err
	}
	if j.tally.Sessions == 0 {
		if j.app.db != "" && j.branch == "" {
			return exitTrouble, j.app.explainNothingThere()
		}
		return exitTrouble, explainNoHistory(j.branch)
	}
	j.list = j.tally.Rank(score.Options{HalfLife: time.Duration(j.half)})
	if j.test != "" {
		if j.list, err = j.pick(); err != nil {
			return exitTrouble, err
		}
	}
	switch {
	case j.skip:
		err = j.printSkip()
	case j.json:
		err = j.printJSON()
	case j.issue:
		err = j.printIssue()
	case j.test != "":
		j.printTests()
	default:
		j.printTable()
	}
	if err != nil {
		return exitTrouble, err
	}
	return exitOK, nil
}

func explainNoHistory(branch string) error {
	if branch != "" {
		return advice.With(fmt.Errorf("no history of branch %q", branch), "fdebug history without -branch shows that of all branches")
	}
	return advice.With(errors.New("no history yet"), "fdebug run ./... -n 50 adds to it, and so does fdebug import FILE...",
		"-o DIR says where it is if not in .fdebug")
}

// readHistory reads the history in a store, after adding what it lacks. A history that can't be
// written is read as it is. So is one on a server: looking at a team's history must not change
// it.
func (a *app) readHistory(ctx context.Context, st store.Store, f history.Filter) (*history.Tally, error) {
	if a.db != "" {
		db, err := a.openServerReadOnly(ctx)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		return history.Read(ctx, db, f)
	}
	db, err := a.openHistory(ctx, st)
	if err == nil {
		if err := a.catchUp(ctx, db, st, ""); err != nil {
			a.warnHistory(err)
		}
	} else if !isHinted(err) {
		again, readErr := history.OpenReadOnly(ctx, filepath.Join(st.Dir, history.Name))
		if errors.Is(readErr, fs.ErrNotExist) {
			return &history.Tally{}, nil
		} else if readErr != nil {
			return nil, err
		}
		db, err = again, nil
	}
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return history.Read(ctx, db, f)
}

func isHinted(err error) bool {
	var h *advice.Error
	return errors.As(err, &h)
}

// pick returns the requested tests: with that name, or below it.
func (j *historyJob) pick() ([]history.Ranked, error) {
	var found []history.Ranked
	var names []string
	for _, r := range j.list {
		names = append(names, r.Name)
		base := r.Package[strings.LastIndexByte(r.Package, '/')+1:]
		for _, name := range []string{r.Name, base + "." + r.Name, r.Package + "." + r.Name} {
			if name == j.test || strings.HasPrefix(name, j.test+"/") {
				found = append(found, r)
				break
			}
		}
	}
	if len(found) == 0 {
		return nil, advice.With(fmt.Errorf("no failure of %q in the history", j.test),
			append(advice.DidYouMean(j.test, names), "fdebug history lists the tests that have failed")...)
	}
	return found, nil
}

// A days is a duration in the units of the history: 14d, 36h.
type days time.Duration

func (d *days) String() string { return time.Duration(*d).String() }

func (d *days) Set(s string) error {
	if n, ok := strings.CutSuffix(s, "d"); ok {
		f, err := strconv.ParseFloat(n, 64)
		if err != nil || !(f > 0 && f < 100_000) {
			return errors.New("not a number of days")
		}
		*d = days(f * 24 * float64(time.Hour))
		return nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v <= 0 {
		return errors.New("not a duration")
	}
	*d = days(v)
	return nil
}

func (d *days) want() string { return "a duration such as 14d or 36h" }
