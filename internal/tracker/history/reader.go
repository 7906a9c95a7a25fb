package history

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/tracker/score"
)

// recently is the time that Weekly is about.
const recently = 28 * 24 * 60

// Read reads the tests that have failed.
func Read(ctx context.Context, db *DB, f Filter) (*Tally, error) {
	data, err := db.Data(ctx)
	if err != nil {
		return nil, err
	}
	return data.Tally(f)
}

// ReadFile reads them from a file that others may write to.
func ReadFile(ctx context.Context, file string, f Filter) (*Tally, error) {
	db, err := OpenReadOnly(ctx, file)
	if err != nil {
		return nil, err
	}
	return Read(ctx, db, f)
}

// Tally returns the tests that have failed.
func (d *Data) Tally(f Filter) (*Tally, error) {
	r := &reader{Data: d, filter: f, tally: &Tally{}}
	r.sessions()
	r.runs()
	r.names()
	if err := r.sets(); err != nil {
		return nil, err
	}
	r.walk()
	r.finish()
	return r.tally, nil
}

// A reader is one call of [Data.Tally].
type reader struct {
	*Data
	filter Filter
	tally  *Tally

	order   map[int64]*place // of sessions
	imports bool             // there are imported sessions
	rows    []run            // in order
	usage   map[int64]int    // how many runs have a set
	byName  map[testKey]int64
	tracked map[int64]*tracked
	members map[int64][]member // of sets: tests that are tracked
	newest  int32
}

// A place is where a session stands.
type place struct {
	id int64
	SessionRow
	order  int
	commit int32
}

// A run is one with its session.
type run struct {
	id int64
	RunRow
	place *place
}

func (r *run) minute() int32 { return int32(r.Started / 60000) }

// A tracked test has failed, or is one that the failures of a subtest may belong to.
type tracked struct {
	id     int64
	passed int
	owner  *tracked // whose failures its own are; itself, mostly
	test   *Test    // nil if it is not asked for
	signs  map[string]*Signature
}

type member struct {
	test   *tracked
	passed int32
}

// sessions puts the sessions in order: by the time of their commit, as far as that is
// known, since clocks of machines disagree and jobs are repeated later.
func (r *reader) sessions() {
	r.order = make(map[int64]*place)
	var all []*place
	for id, s := range r.Sessions {
		if r.filter.takes(&s) {
			r.order[id] = &place{id: id, SessionRow: s, commit: -1}
			all = append(all, r.order[id])
		}
	}
	times := commitTimes(all)
	at := func(p *place) time.Time {
		if t, ok := times[p.Commit.Hash]; ok {
			return t
		}
		return p.Started
	}
	slices.SortFunc(all, func(a, b *place) int {
		return cmp.Or(at(a).Compare(at(b)), strings.Compare(a.Commit.Hash, b.Commit.Hash), a.Started.Compare(b.Started),
			cmp.Compare(a.id, b.id))
	})
	last := ""
	for i, p := range all {
		if h := p.Commit.Hash; h != "" && h != last {
			last = h
			r.tally.Commits = append(r.tally.Commits, Commit{Hash: h, Time: times[h]})
		}
		p.order = i
		if p.Commit.Hash != "" && !p.Commit.Modified {
			p.commit = int32(len(r.tally.Commits) - 1)
		}
		r.imports = r.imports || p.Source == FromImport
	}
	r.tally.Sessions = len(all)
}

// takes reports whether a session is looked at.
func (f *Filter) takes(s *SessionRow) bool {
	return f.Branch == "" || s.Branch == f.Branch
}

// chooses reports whether a test is looked at.
func (f *Filter) chooses(t TestRow) bool { return f.Test == nil || f.Test(t.Package, t.Name) }

// commitTimes returns when each commit was made, or else when it was first tested.
func commitTimes(all []*place) map[string]time.Time {
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
func (r *reader) runs() {
	r.usage = make(map[int64]int)
	oldest, newest := int64(math.MaxInt64), int64(0)
	for id, row := range r.Runs {
		p := r.order[row.Session]
		if p == nil || row.Kind == Provoked {
			continue
		}
		oldest, newest = min(oldest, row.Started), max(newest, row.Started)
		r.usage[row.Set]++
		r.tally.Results += len(row.Failures)
		r.rows = append(r.rows, run{id, row, p})
	}
	if len(r.rows) == 0 {
		return
	}
	slices.SortFunc(r.rows, func(a, b run) int {
		return cmp.Or(a.place.order-b.place.order, cmp.Compare(a.Started, b.Started), cmp.Compare(a.id, b.id))
	})
	r.tally.Oldest, r.tally.Newest = FromMillis(oldest), FromMillis(newest)
	r.tally.Runs, r.newest = len(r.rows), int32(newest/60000)
}

// names says which tests are tracked: those that failed, and all that they are part of.
func (r *reader) names() {
	r.byName = make(map[testKey]int64, len(r.Tests))
	for id, t := range r.Tests {
		r.byName[testKey{t.Package, t.Name}] = id
	}
	r.tracked = make(map[int64]*tracked)
	for i := range r.rows {
		for _, f := range r.rows[i].Failures {
			r.trackFailed(r.Signatures[f.Signature].Test)
		}
	}
}

// trackFailed tracks a test and all that it is part of.
func (r *reader) trackFailed(id int64) {
	if r.tracked[id] != nil {
		return
	}
	r.track(id)
	t := r.Tests[id]
	for name := parentOf(t.Name); name != ""; name = parentOf(name) {
		if above, ok := r.byName[testKey{t.Package, name}]; ok {
			r.track(above)
		}
	}
}

func (r *reader) track(id int64) {
	if r.tracked[id] != nil {
		return
	}
	r.tracked[id] = &tracked{id: id}
	if t := r.Tests[id]; r.filter.chooses(t) {
		r.tracked[id].test = &Test{Package: t.Package, Name: t.Name, Slowest: t.Slowest}
		r.tracked[id].signs = make(map[string]*Signature)
	}
}

// parentOf returns the name of the test that name is a subtest of, "" if none.
func parentOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '/'))] }

// sets reads which of the tracked tests passed in which runs, and says to whom
// failures belong: those of a test that never passed to the one it is part of, since
// its name may be made up anew in each run.
func (r *reader) sets() error {
	r.members = make(map[int64][]member, len(r.usage))
	seen := make(map[int64]bool)
	for id, used := range r.usage {
		var list []member
		err := eachCount(r.Sets[id], func(c count) {
			if r.Tests[c.test].Name != "" { // the package itself is no test
				seen[c.test] = true
				r.tally.Results += used * (c.passed + c.skip)
			}
			if t := r.tracked[c.test]; t != nil && c.passed > 0 {
				t.passed += used * c.passed
				list = append(list, member{t, int32(c.passed)})
			}
		})
		if err != nil {
			return err
		}
		r.members[id] = list
	}
	for id, t := range r.tracked {
		if r.Tests[id].Name != "" {
			seen[id] = true
		}
		t.owner = r.passing(id, t)
	}
	r.tally.Known = len(seen)
	return nil
}

// passing returns the test itself if it has passed, or the nearest that it is part of and
// that has.
func (r *reader) passing(id int64, t *tracked) *tracked {
	row := r.Tests[id]
	for name := row.Name; name != ""; name = parentOf(name) {
		if o := r.tracked[r.byName[testKey{row.Package, name}]]; o != nil && o.passed > 0 {
			return o
		}
	}
	return t
}

// ownerOf returns the test that a failure belongs to.
func (r *reader) ownerOf(f FailureRow) *tracked {
	return r.tracked[r.Signatures[f.Signature].Test].owner
}

// walk goes through the runs in order, and adds to the points of each test.
func (r *reader) walk() {
	for set, list := range r.members {
		r.members[set] = slices.DeleteFunc(list, func(m member) bool { return m.test.test == nil })
	}
	for i := range r.rows {
		r.step(&r.rows[i])
	}
}

// step adds one run.
func (r *reader) step(run *run) {
	for _, m := range r.members[run.Set] {
		if !slices.ContainsFunc(run.Failures, func(f FailureRow) bool { return r.ownerOf(f) == m.test }) {
			r.add(m.test.test, run, m.passed, 0)
		}
	}
	for i, f := range run.Failures {
		o := r.ownerOf(f)
		earlier := slices.ContainsFunc(run.Failures[:i], func(g FailureRow) bool { return r.ownerOf(g) == o })
		if o.test != nil && !earlier {
			r.addFailed(o, run, run.Failures[i:])
		}
	}
}

// addFailed adds the failures of one test in a run.
func (r *reader) addFailed(o *tracked, run *run, failures []FailureRow) {
	var own, others int32
	for _, f := range failures {
		switch {
		case r.Signatures[f.Signature].Test == o.id:
			own++
		case r.ownerOf(f) == o:
			others = 1 // several subtests fail in one execution of the test
		}
	}
	failed := max(own, others)
	passed := int32(0)
	for _, m := range r.members[run.Set] {
		if m.test == o {
			passed = m.passed
		}
	}
	r.add(o.test, run, passed+failed, failed)
	point := len(o.test.Points) - 1
	for _, f := range failures {
		if r.ownerOf(f) == o && failed > 0 {
			r.sign(o, f.Signature, point)
			failed--
		}
	}
}

func (r *reader) sign(o *tracked, id int64, point int) {
	row := r.Signatures[id]
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
	}
	t.passed, t.failed = t.passed || failed < runs, t.failed || failed > 0
	t.mixed = t.mixed || t.passed && t.failed
	imported := run.place.Source == FromImport
	if imported || !r.imports {
		if r.newest-run.minute() <= recently {
			t.recent += int(runs)
		}
		if failed > 0 && imported {
			t.lastImported = max(t.lastImported, run.minute())
		}
	}
	if n := len(t.Points); n > 0 && failed == 0 {
		last := &t.Points[n-1]
		if d := run.minute() - last.Minute; last.Failed == 0 && last.Commit == run.place.commit &&
			d >= 0 && d <= apart {
			last.Runs += runs
			return
		}
	}
	t.Points = append(t.Points, score.Point{Minute: run.minute(), Commit: run.place.commit, Runs: runs, Failed: failed})
}

// finish sums up each test, and puts them in the order of their names.
func (r *reader) finish() {
	weeks := 1.0
	if len(r.rows) > 0 {
		span := r.newest - minuteOf(r.tally.Oldest)
		weeks = max(1, float64(min(span, recently))/(7*24*60))
	}
	verdicts := make(map[testKey][]Verdict)
	for _, v := range r.Verdicts {
		key := testKey{v.Package, v.Test}
		verdicts[key] = append(verdicts[key], *v)
	}
	for id, t := range r.tracked {
		x := t.test
		if x == nil || len(x.Signatures) == 0 {
			continue // not asked for, or all its failures belong to another
		}
		x.Weekly = float64(x.recent) / weeks
		notes := r.Tests[id].Notes
		for _, key := range slices.Sorted(maps.Keys(notes)) {
			x.Notes = append(x.Notes, Note{Key: key, Value: notes[key].Value})
		}
		x.Verdicts = verdicts[testKey{x.Package, x.Name}]
		slices.SortFunc(x.Signatures, func(a, b *Signature) int {
			return cmp.Or(b.Failures-a.Failures, strings.Compare(a.Text, b.Text))
		})
		r.tally.Tests = append(r.tally.Tests, x)
	}
	slices.SortFunc(r.tally.Tests, func(a, b *Test) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
}
