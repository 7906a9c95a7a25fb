package history

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/score"
)

// recently is the time that Weekly is about.
const recently = 28 * 24 * 60

// Read reads the tests that have failed.
func Read(ctx context.Context, db DB, f Filter) (*Tally, error) {
	r := &reader{db: db, filter: f, tally: &Tally{}, usage: make(map[int64]int)}
	for _, step := range []func(context.Context) error{r.sessions, r.runs, r.failures, r.names, r.sets, r.verdicts} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	r.walk()
	r.finish()
	return r.tally, nil
}

// A reader is one call of [Read].
type reader struct {
	db     DB
	filter Filter
	tally  *Tally

	order   map[int64]*place // of sessions
	imports bool             // there are imported sessions
	rows    []run            // in order
	usage   map[int64]int    // how many runs have a set
	failed  []FailureRow     // by run
	tests   map[int64]TestRow
	signs   map[int64]SignatureRow
	byName  map[TestRow]int64 // Slowest is 0
	tracked map[int64]*tracked
	members map[int64][]member // of sets: tests that are tracked
	verdict map[TestRow][]Verdict
	notes   map[int64][]Note
	newest  int32
}

// A place is where a session stands.
type place struct {
	order    int
	commit   int32
	imported bool
	session  *SessionRow
}

// A run is what is needed of a RunRow.
type run struct {
	id, set int64
	place   *place
	started int64 // milliseconds since 1970
	minute  int32
}

// A tracked test has failed, or is one that the failures of a subtest may belong to.
type tracked struct {
	id     int64
	passed int
	owner  *tracked // whose failures its own are; itself, mostly
	test   *Test    // nil until it is needed
	signs  map[string]*Signature
}

type member struct {
	test   *tracked
	passed int32
}

// sessions puts the sessions in order: by the time of their commit, as far as that is
// known, since clocks of machines disagree and jobs are repeated later.
func (r *reader) sessions(ctx context.Context) error {
	all, err := r.db.Sessions(ctx)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(s SessionRow) bool { return !r.filter.takes(&s) })
	times := commitTimes(all)
	at := func(s *SessionRow) time.Time {
		if t, ok := times[s.Commit.Hash]; ok {
			return t
		}
		return s.Started
	}
	slices.SortFunc(all, func(a, b SessionRow) int {
		return cmp.Or(at(&a).Compare(at(&b)), strings.Compare(a.Commit.Hash, b.Commit.Hash), a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	r.order = make(map[int64]*place, len(all))
	last := ""
	for i := range all {
		s := &all[i]
		if h := s.Commit.Hash; h != "" && h != last {
			last = h
			r.tally.Commits = append(r.tally.Commits, Commit{Hash: h, Time: times[h]})
		}
		p := &place{order: i, commit: -1, imported: s.Source == FromImport, session: s}
		if s.Commit.Hash != "" && !s.Commit.Modified {
			p.commit = int32(len(r.tally.Commits) - 1)
		}
		r.imports = r.imports || p.imported
		r.order[s.ID] = p
	}
	r.tally.Sessions = len(all)
	return nil
}

// takes reports whether a session is looked at.
func (f *Filter) takes(s *SessionRow) bool {
	return (f.Branch == "" || s.Branch == f.Branch) && (f.NotKey == "" || s.Key != f.NotKey) && (f.Before.IsZero() || s.Started.Before(f.Before))
}

// chooses reports whether a test is looked at.
func (f *Filter) chooses(t TestRow) bool { return f.Test == nil || f.Test(t.Package, t.Name) }

// commitTimes returns when each commit was made, or else when it was first tested.
func commitTimes(all []SessionRow) map[string]time.Time {
	times := make(map[string]time.Time)
	for _, s := range all {
		h := s.Commit.Hash
		if h == "" {
			continue
		}
		t, ok := times[h]
		switch {
		case !s.Commit.Time.IsZero():
			times[h] = s.Commit.Time
		case !ok || s.Started.Before(t):
			times[h] = s.Started
		}
	}
	return times
}

// runs reads the natural runs, in order.
func (r *reader) runs(ctx context.Context) error {
	oldest, newest := int64(math.MaxInt64), int64(0)
	err := r.db.EachRun(ctx, func(row RunRow) {
		p := r.order[row.Session]
		if p == nil || row.Kind == Provoked {
			return
		}
		oldest, newest = min(oldest, row.Started), max(newest, row.Started)
		r.usage[row.Set]++
		r.rows = append(r.rows, run{id: row.ID, set: row.Set, place: p, started: row.Started, minute: int32(row.Started / 60000)})
	})
	if err != nil || len(r.rows) == 0 {
		return err
	}
	slices.SortFunc(r.rows, func(a, b run) int {
		return cmp.Or(a.place.order-b.place.order, cmp.Compare(a.started, b.started), cmp.Compare(a.id, b.id))
	})
	r.tally.Oldest, r.tally.Newest = fromMillis(oldest), fromMillis(newest)
	r.tally.Runs, r.newest = len(r.rows), int32(newest/60000)
	return nil
}

// failures reads the failures of those runs.
func (r *reader) failures(ctx context.Context) error {
	natural := make(map[int64]bool)
	err := r.db.EachFailure(ctx, func(f FailureRow) {
		natural[f.Run] = false
		r.failed = append(r.failed, f)
	})
	if err != nil {
		return err
	}
	for i := range r.rows {
		if _, ok := natural[r.rows[i].id]; ok {
			natural[r.rows[i].id] = true
		}
	}
	r.failed = slices.DeleteFunc(r.failed, func(f FailureRow) bool { return !natural[f.Run] })
	slices.SortStableFunc(r.failed, func(a, b FailureRow) int { return cmp.Compare(a.Run, b.Run) })
	r.tally.Results = len(r.failed)
	return nil
}

// names says which tests are tracked: those that failed, and all that they are part of.
func (r *reader) names(ctx context.Context) (err error) {
	if r.tests, err = r.db.Tests(ctx); err != nil {
		return err
	}
	if r.signs, err = r.db.Signatures(ctx); err != nil {
		return err
	}
	r.byName = make(map[TestRow]int64, len(r.tests))
	for id, t := range r.tests {
		r.byName[TestRow{Package: t.Package, Name: t.Name}] = id
	}
	r.tracked = make(map[int64]*tracked)
	for id, t := range r.tests {
		if r.filter.BySession && r.filter.chooses(t) {
			r.track(id)
		}
	}
	for _, f := range r.failed {
		t := r.tests[f.Test]
		for name := t.Name; ; name = parentOf(name) {
			id, ok := r.byName[TestRow{Package: t.Package, Name: name}]
			if ok && name != "" || id == f.Test {
				r.track(id)
			}
			if name == "" {
				break
			}
		}
	}
	return nil
}

func (r *reader) track(id int64) {
	if r.tracked[id] == nil {
		r.tracked[id] = &tracked{id: id}
	}
}

// parentOf returns the name of the test that name is a subtest of, "" if none.
func parentOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// sets reads which of the tracked tests passed in which runs, and says to whom
// failures belong: those of a test that never passed to the one it is part of, since
// its name may be made up anew in each run.
func (r *reader) sets(ctx context.Context) error {
	r.members = make(map[int64][]member, len(r.usage))
	seen := make(map[int64]bool)
	err := r.db.EachSet(ctx, func(s SetRow) error {
		used := r.usage[s.ID]
		if used == 0 {
			return nil
		}
		var list []member
		err := eachCount(s.Content, func(c count) {
			if r.tests[c.test].Name != "" { // the package itself is no test
				seen[c.test] = true
				r.tally.Results += used * (c.passed + c.skip)
			}
			if t := r.tracked[c.test]; t != nil && c.passed > 0 {
				t.passed += used * c.passed
				list = append(list, member{t, int32(c.passed)})
			}
		})
		r.members[s.ID] = list
		return err
	})
	for id, t := range r.tracked {
		if r.tests[id].Name != "" {
			seen[id] = true
		}
		t.owner = r.ownerOf(id, t)
	}
	r.tally.Known = len(seen)
	return err
}

func (r *reader) ownerOf(id int64, t *tracked) *tracked {
	row := r.tests[id]
	for name := row.Name; name != ""; name = parentOf(name) {
		if o := r.tracked[r.byName[TestRow{Package: row.Package, Name: name}]]; o != nil && o.passed > 0 {
			return o
		}
	}
	return t
}

func (r *reader) verdicts(ctx context.Context) error {
	list, err := r.db.Verdicts(ctx)
	r.verdict = make(map[TestRow][]Verdict)
	for _, v := range list {
		key := TestRow{Package: v.Package, Name: v.Test}
		r.verdict[key] = append(r.verdict[key], v.Verdict)
	}
	if err != nil {
		return err
	}
	r.notes, err = r.db.Notes(ctx)
	return err
}

// walk goes through the runs in order, and adds to the points of each test.
func (r *reader) walk() {
	needed := make(map[*tracked]bool)
	for _, f := range r.failed {
		needed[r.tracked[f.Test].owner] = true
	}
	for _, t := range r.tracked {
		if r.filter.BySession && t.passed > 0 {
			needed[t] = true
		}
	}
	for t := range needed {
		row := r.tests[t.id]
		if r.filter.chooses(row) {
			t.test = &Test{Package: row.Package, Name: row.Name, Slowest: row.Slowest}
			t.signs = make(map[string]*Signature)
		}
	}
	for set, list := range r.members {
		r.members[set] = slices.DeleteFunc(list, func(m member) bool { return m.test.test == nil })
	}
	for i := range r.rows {
		r.step(&r.rows[i])
	}
}

// step adds one run.
func (r *reader) step(run *run) {
	at, _ := slices.BinarySearchFunc(r.failed, run.id, func(f FailureRow, id int64) int { return cmp.Compare(f.Run, id) })
	end := at
	for end < len(r.failed) && r.failed[end].Run == run.id {
		end++
	}
	failures := r.failed[at:end]
	for _, m := range r.members[run.set] {
		if !slices.ContainsFunc(failures, func(f FailureRow) bool { return r.tracked[f.Test].owner == m.test }) {
			r.add(m.test.test, run, m.passed, 0)
		}
	}
	for i, f := range failures {
		o := r.tracked[f.Test].owner
		earlier := slices.ContainsFunc(failures[:i], func(g FailureRow) bool { return r.tracked[g.Test].owner == o })
		if o.test == nil || earlier {
			continue
		}
		r.addFailed(o, run, failures[i:])
	}
}

// addFailed adds the failures of one test in a run.
func (r *reader) addFailed(o *tracked, run *run, failures []FailureRow) {
	var own, others int32
	for _, f := range failures {
		switch {
		case f.Test == o.id:
			own++
		case r.tracked[f.Test].owner == o:
			others = 1 // several subtests fail in one execution of the test
		}
	}
	failed := max(own, others)
	passed := int32(0)
	for _, m := range r.members[run.set] {
		if m.test == o {
			passed = m.passed
		}
	}
	r.add(o.test, run, passed+failed, failed)
	point := len(o.test.Points) - 1
	for _, f := range failures {
		if r.tracked[f.Test].owner == o && failed > 0 {
			r.sign(o, f.Signature, point)
			failed--
		}
	}
}

func (r *reader) sign(o *tracked, id int64, point int) {
	row := r.signs[id]
	s := o.signs[row.Text]
	if s == nil {
		s = &Signature{Text: row.Text, Message: row.Message, failed: make(map[int]int32)}
		o.signs[row.Text] = s
		o.test.Signatures = append(o.test.Signatures, s)
	}
	s.Failures++
	s.failed[point]++
}

// apart is how many minutes two runs without failure may be apart to share a point.
const apart = 60

// add adds executions of a test.
func (r *reader) add(t *Test, run *run, runs, failed int32) {
	if t.session != run.place {
		t.session, t.passed, t.failed = run.place, false, false
		if r.filter.BySession {
			s := run.place.session
			t.Sessions = append(t.Sessions, SessionCount{Started: s.Started, Commit: s.Commit, Source: s.Source})
		}
	}
	if r.filter.BySession {
		s := &t.Sessions[len(t.Sessions)-1]
		s.Runs, s.Failed = s.Runs+int(runs), s.Failed+int(failed)
	}
	t.passed, t.failed = t.passed || failed < runs, t.failed || failed > 0
	t.mixed = t.mixed || t.passed && t.failed
	if run.place.imported || !r.imports {
		if r.newest-run.minute <= recently {
			t.recent += int(runs)
		}
		if failed > 0 && run.place.imported {
			t.lastImported = max(t.lastImported, run.minute)
		}
	}
	if n := len(t.Points); n > 0 && failed == 0 {
		last := &t.Points[n-1]
		if d := run.minute - last.Minute; last.Failed == 0 && last.Commit == run.place.commit && d >= 0 && d <= apart {
			last.Runs += runs
			return
		}
	}
	t.Points = append(t.Points, score.Point{Minute: run.minute, Commit: run.place.commit, Runs: runs, Failed: failed})
}

// finish sums up each test, and puts them in the order of their names.
func (r *reader) finish() {
	weeks := 1.0
	if len(r.rows) > 0 {
		span := r.newest - int32(millis(r.tally.Oldest)/60000)
		weeks = max(1, float64(min(span, recently))/(7*24*60))
	}
	for _, t := range r.tracked {
		if t.test == nil {
			continue
		}
		x := t.test
		x.Weekly = float64(x.recent) / weeks
		x.Notes = r.notes[t.id]
		x.Verdicts = r.verdict[TestRow{Package: x.Package, Name: x.Name}]
		slices.SortFunc(x.Signatures, func(a, b *Signature) int {
			return cmp.Or(b.Failures-a.Failures, strings.Compare(a.Text, b.Text))
		})
		r.tally.Tests = append(r.tally.Tests, x)
	}
	slices.SortFunc(r.tally.Tests, func(a, b *Test) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
}
