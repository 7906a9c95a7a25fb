package serve

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// A testKey names a test.
type testKey struct{ pkg, name string }

// A snapshot is what pages are made of. It is never changed.
type snapshot struct {
	version  string // of the database
	tally    *history.Tally
	list     []history.Ranked // by impact
	rows     []row            // of the list, in the same order
	at       map[testKey]int  // index in the list
	verdicts map[testKey][]verdict
	failures map[testKey][]failure // the newest first
	reports  *catalogue
	read     time.Time
	trouble  string
}

// A verdict is what experiments have shown, with the session.
type verdict struct {
	history.Verdict
	*history.SessionRow
}

// KindText is the kind of flake in words.
func (v verdict) KindText() string { return kindText(v.Category) }

// A failure is one failed execution of a test, with the session.
type failure struct {
	*history.Session
	Test    string
	At      time.Time
	Status  history.Status
	Message string
	Link    string // to the reports of the session, "" if they are not there
}

const (
	// keptFailures is how many failures of a test are listed, the newest.
	keptFailures = 30
	// keptBelow is how many failures are kept of a test and its subtests together.
	keptBelow = 200
	// interval is how long the server waits between two looks at the database, and rest
	// how many times as long as the last look took.
	interval = 2 * time.Second
	rest     = 10
)

// watch keeps what is shown up to date, until ctx is done.
func (s *Server) watch(ctx context.Context) {
	wait := interval
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		start := time.Now()
		s.refresh(ctx)
		wait = max(interval, rest*time.Since(start))
	}
}

// refresh reads what has changed. If that fails, what was read before stays, with a word
// on the pages that it is old.
func (s *Server) refresh(ctx context.Context) {
	old := s.current.Load()
	snap, err := s.load(ctx, old)
	switch {
	case err == nil:
		if old.trouble != "" {
			s.Warnf("the history can be read again")
		}
		s.current.Store(snap)
	case ctx.Err() == nil && old.trouble == "":
		s.Warnf("%v", err)
		stale := *old
		stale.trouble = "The history can't be read at the moment. What is shown is of " +
			old.read.UTC().Format("2006-01-02 15:04:05") + " UTC."
		s.current.Store(&stale)
	}
}

// load makes a snapshot of what is there now. What has not changed is that of old.
func (s *Server) load(ctx context.Context, old *snapshot) (*snapshot, error) {
	var kept *catalogue
	if old != nil {
		kept = old.reports
	}
	snap := &snapshot{read: s.clock(), reports: s.catalogue(kept)}
	err := s.loadHistory(ctx, snap, old)
	if err != nil && s.db != nil {
		s.db.Close() // and opened anew the next time
		s.db = nil
	}
	return snap, err
}

func (s *Server) loadHistory(ctx context.Context, snap, old *snapshot) (err error) {
	reopened := s.db == nil
	if reopened {
		if s.db, err = s.Open(ctx); err != nil {
			s.db = nil
			return err
		}
	}
	if snap.version, err = s.db.Version(ctx); err != nil { // before it is read: what comes later is seen the next time
		return err
	}
	if old != nil && !reopened && old.trouble == "" && old.version == snap.version {
		read, reports := snap.read, snap.reports
		*snap = *old
		snap.read, snap.reports = read, reports
		return nil
	}
	data, err := s.db.Data(ctx)
	if err != nil {
		return err
	}
	if snap.tally, err = data.Tally(s.Filter); err != nil {
		return err
	}
	snap.details(data, s.Filter.Branch)
	snap.rank(s.clean)
	return nil
}

// rank scores the tests and makes the rows of the list.
func (snap *snapshot) rank(clean *listing.Cleaner) {
	snap.list = snap.tally.Rank()
	snap.at = make(map[testKey]int, len(snap.list))
	snap.rows = make([]row, len(snap.list))
	for i := range snap.list {
		r := &snap.list[i]
		snap.at[testKey{r.Package, r.Name}] = i
		snap.rows[i] = snap.row(r, clean)
	}
}

// details reads what a tally does not have: which sessions verdicts and failures are of.
func (snap *snapshot) details(data *history.Data, branch string) {
	snap.verdicts = make(map[testKey][]verdict)
	for s, v := range data.Verdicts {
		if branch == "" || s.Branch == branch {
			key := testKey{v.Package, v.Test}
			snap.verdicts[key] = append(snap.verdicts[key], verdict{*v, s})
		}
	}
	snap.readFailures(data, branch)
}

// readFailures reads the failures of natural runs. Of 10 million results they are some
// ten thousands.
func (snap *snapshot) readFailures(data *history.Data, branch string) {
	snap.failures = make(map[testKey][]failure)
	for _, id := range slices.Sorted(maps.Keys(data.Runs)) {
		run := data.Runs[id]
		x, ok := data.Sessions[run.Session]
		if !ok || branch != "" && x.Branch != branch || run.Kind == history.Provoked {
			continue
		}
		for _, f := range run.Failures {
			sign := data.Signatures[f.Signature]
			t := data.Tests[sign.Test]
			key := testKey{t.Package, topOf(t.Name)}
			if len(snap.failures[key]) >= 4*keptBelow {
				snap.failures[key] = newest(snap.failures[key])
			}
			session := x.Session
			snap.failures[key] = append(snap.failures[key], failure{
				Session: &session, Test: t.Name, At: history.FromMillis(run.Started), Status: f.Status,
				Message: history.OneLine(sign.Message, sign.Text),
			})
		}
	}
	for key, list := range snap.failures {
		snap.failures[key] = newest(list)
	}
}

// newest returns the newest failures, in order.
func newest(list []failure) []failure {
	slices.SortStableFunc(list, func(a, b failure) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Test, b.Test))
	})
	clear(list[min(len(list), keptBelow):])
	return list[:min(len(list), keptBelow)]
}

// topOf returns the name of the test that a subtest is of.
func topOf(name string) string {
	name, _, _ = strings.Cut(name, "/")
	return name
}

// failuresOf returns the newest failures of a test: its own, and those of subtests that
// have no page.
func (snap *snapshot) failuresOf(r *history.Ranked) []failure {
	var list []failure
	for _, f := range snap.failures[testKey{r.Package, topOf(r.Name)}] {
		if len(list) == keptFailures {
			break
		}
		if snap.owner(r.Package, f.Test) == r.Name {
			f.Link = snap.reports.linkTo(f.Reports, testKey{r.Package, r.Name})
			list = append(list, f)
		}
	}
	return list
}

// owner returns the name of the test that a failure is counted for.
func (snap *snapshot) owner(pkg, name string) string {
	for ; name != ""; name = name[:max(0, strings.LastIndexByte(name, '/'))] {
		if _, ok := snap.at[testKey{pkg, name}]; ok {
			return name
		}
	}
	return name
}
