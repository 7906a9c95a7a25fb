package tracker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/trace"
)

// A History shows how often tests fail.
type History struct {
	*Keeper
	Out    string
	Branch string
	JSON   bool
	Issue  bool
	Skip   bool
	For    time.Duration // -for, for -skip: how long after its last failure a test is skipped
	Test   string        // as typed; "" for all

	tally *history.Tally
	list  []history.Ranked
	Now   time.Time
}

func (j *History) Check(n int) error {
	switch {
	case n > 1:
		return advice.Usagef("history takes one test")
	case j.Issue && j.Skip:
		return advice.Usagef("-issue and -skip exclude each other")
	}
	return j.CheckDB()
}

func (j *History) Run(ctx context.Context) (int, error) {
	if err := j.show(ctx); err != nil {
		return exit.Trouble, err
	}
	return exit.OK, nil
}

func (j *History) show(ctx context.Context) (err error) {
	if j.tally, err = j.readHistory(ctx, j.StoreIn(j.Out), history.Filter{Branch: j.Branch}); err != nil {
		return err
	}
	if j.tally.Sessions == 0 {
		if j.URL != "" && j.Branch == "" {
			return j.explainNothingThere()
		}
		return explainNoHistory(j.Branch)
	}
	j.list = j.tally.Rank()
	if j.Test != "" {
		if j.list, err = j.pick(); err != nil {
			return err
		}
	}
	switch {
	case j.Skip:
		return j.printSkip()
	case j.JSON:
		return j.printJSON()
	case j.Issue:
		return j.printIssue()
	case j.Test != "":
		j.printTests()
	default:
		j.printTable()
	}
	return nil
}

func explainNoHistory(branch string) error {
	if branch != "" {
		return advice.With(fmt.Errorf("no history of branch %q", branch),
			"fdebug history without -branch shows that of all branches")
	}
	return advice.With(errors.New("no history yet"),
		"fdebug run ./... -n 50 adds to it, and so does fdebug import FILE...",
		"-o DIR says where it is if not in .fdebug")
}

// readHistory reads the history in a store, after adding what it lacks. A history that can't be
// written is read as it is. So is one on a server: looking at a team's history must not change
// it.
func (k *Keeper) readHistory(ctx context.Context, st store.Store, f history.Filter) (*history.Tally, error) {
	db, err := k.openToRead(ctx, st)
	if errors.Is(err, fs.ErrNotExist) {
		return &history.Tally{}, nil
	} else if err != nil {
		return nil, err
	}
	defer db.Close()
	return history.Read(ctx, db, f)
}

func (k *Keeper) openToRead(ctx context.Context, st store.Store) (*history.DB, error) {
	if k.URL != "" {
		return k.openReadOnly(ctx, st)
	}
	db, err := k.openHistory(ctx, st)
	if err != nil {
		if isHinted(err) {
			return nil, err
		}
		return k.openReadOnly(ctx, st)
	}
	if err := k.catchUp(ctx, db, st, ""); err != nil {
		k.warnHistory(err)
	}
	return db, nil
}

func isHinted(err error) bool {
	var h *advice.Error
	return errors.As(err, &h)
}

// pick returns the requested tests: with that name, or below it.
func (j *History) pick() ([]history.Ranked, error) {
	var found []history.Ranked
	var names []string
	printed := session.PrintedName(j.Test)
	for _, r := range j.list {
		names = append(names, r.Name, trace.TopTest(r.Name))
		base := r.Package[strings.LastIndexByte(r.Package, '/')+1:]
		for _, name := range []string{r.Name, base + "." + r.Name, r.Package + "." + r.Name} {
			if name == printed || strings.HasPrefix(name, printed+"/") {
				found = append(found, r)
				break
			}
		}
	}
	if len(found) == 0 {
		return nil, advice.With(fmt.Errorf("no failure of %q in the history", j.Test),
			append(advice.DidYouMean(j.Test, names), "fdebug history lists the tests that have failed")...)
	}
	return found, nil
}
