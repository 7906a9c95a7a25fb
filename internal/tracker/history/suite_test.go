package history_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	. "github.com/fdebug/fdebug/internal/tracker/history"
)

// A maker opens an empty database, and opens that again.
type maker func(t *testing.T) (open func() *DB)

// suite has the tests of what every database must do in the same way.
var suite = map[string]func(*testing.T, maker){
	"Twice":      testTwice,
	"Fill":       testFill,
	"Unfinished": testUnfinished,
	"Tally":      testTally,
	"Owners":     testOwners,
	"Kinds":      testKinds,
	"Order":      testOrder,
	"Branch":     testBranch,
	"Prune":      testPrune,
	"Names":      testNames,
	"Conclude":   testConclude,
	"Mixed":      testMixed,
	"Weekly":     testWeekly,
	"Keys":       testKeys,
	"Reports":    testReports,
	"Notes":      testNotes,
	"Version":    testVersion,
	"Batch":      testBatch,
}

func TestSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, test := range suite {
		t.Run(name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, where string) {
				test(t, func(t *testing.T) func() *DB {
					return func() *DB { return opened(t, where) }
				})
			})
		})
	}
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// job is an imported session of a commit, so many hours after noon.
func job(key, commit string, hours int) *Session {
	at := noon.Add(time.Duration(hours) * time.Hour)
	return &Session{Key: key, Source: FromImport, Started: at, Commit: Commit{Hash: commit}, Branch: "main", Job: "linux", Attempt: 1,
		Env: Environment{Go: "go1.26.8", Platform: "linux/amd64", CI: "GitLab"}}
}

// runOf makes a run of package m. Each result is a test's name, with what became of it
// before a colon: "fail:TestX".
func runOf(key string, hours int, results ...string) Run {
	r := Run{Key: key, Package: "example.com/m", Kind: Plain, Started: noon.Add(time.Duration(hours) * time.Hour)}
	for _, text := range results {
		res := Result{Test: text, Status: Passed, Elapsed: 20 * time.Millisecond}
		for _, s := range []Status{Failed, Skipped, Crashed} {
			if name, ok := cutPrefix(text, string(s)+":"); ok {
				res.Test, res.Status = name, s
			}
		}
		if res.Status.Failing() {
			res.Signature, res.Message = res.Test+": m_test.go:1: got N", "got 7"
		}
		r.Results = append(r.Results, res)
	}
	return r
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):], true
	}
	return s, false
}

func add(t *testing.T, db *DB, s *Session, want int, runs ...Run) {
	t.Helper()
	n, err := db.Add(context.Background(), s, runs)
	if err != nil {
		t.Fatal(err)
	}
	if n != want {
		t.Errorf("session %s: %d runs were new, want %d", s.Key, n, want)
	}
}

func read(t *testing.T, db *DB, f Filter) *Tally {
	t.Helper()
	tally, err := Read(context.Background(), db, f)
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

func data(t *testing.T, db *DB) *Data {
	t.Helper()
	d, err := db.Data(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// picture shows the tests of a tally with their points: commit:failed/runs.
func picture(tally *Tally) []string {
	var list []string
	for _, x := range tally.Tests {
		text := x.Name + ":"
		for _, p := range x.Points {
			text += fmt.Sprintf(" %d:%d/%d", p.Commit, p.Failed, p.Runs)
		}
		list = append(list, text)
	}
	return list
}

func expect(t *testing.T, tally *Tally, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, picture(tally)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is added twice counts once, in the same session or another, now or later.
func testTwice(t *testing.T, make maker) {
	open := make(t)
	db := open()
	a, b := runOf("a", 0, "TestX", "fail:TestY"), runOf("b", 0, "TestX", "TestY")
	add(t, db, job("s", "c1", 0), 2, a, b)
	add(t, db, job("s", "c1", 0), 0, a, b)
	again := open()
	add(t, again, job("s", "c1", 0), 1, b, runOf("c", 0, "TestX", "TestY"))
	add(t, again, job("other", "c1", 0), 0, a)
	size, err := again.Size(context.Background())
	if err != nil || size.Runs != 3 || size.Failures != 1 {
		t.Errorf("%+v, %v", size, err)
	}
	tally := read(t, again, Filter{})
	expect(t, tally, "TestY: 0:1/1 0:0/2")
	if tally.Results != 6 || tally.Known != 2 || tally.Runs != 3 {
		t.Errorf("%d results of %d tests in %d runs", tally.Results, tally.Known, tally.Runs)
	}
}

// What is learnt of a session later is filled in; what is known stays.
func testFill(t *testing.T, make maker) {
	db := make(t)()
	add(t, db, &Session{Key: "s", Source: FromImport, Started: noon}, 1, runOf("a", 0, "TestX"))
	add(t, db, job("s", "c1", 5), 0, runOf("a", 0, "TestX"))
	late := job("s", "c2", 5)
	late.Branch, late.Job, late.Attempt = "other", "windows", 2
	late.Commit.Time = noon.Add(-time.Hour)
	add(t, db, late, 0, runOf("a", 0, "TestX"))
	list := slices.Collect(maps.Values(data(t, db).Sessions))
	if len(list) != 1 {
		t.Fatal(list)
	}
	s := list[0]
	if s.Commit.Hash != "c1" || s.Branch != "main" || s.Job != "linux" || s.Attempt != 1 || !s.Started.Equal(noon) {
		t.Errorf("%+v", s)
	}
}

// A run whose end was missing is replaced by the whole one, and not the other way round.
func testUnfinished(t *testing.T, make maker) {
	db := make(t)()
	cut, whole := runOf("a", 0, "fail:TestX"), runOf("a", 0, "fail:TestX", "fail:TestY", "TestZ")
	cut.Unfinished = true
	add(t, db, job("s", "c1", 0), 1, cut)
	add(t, db, job("s", "c1", 0), 0, cut)
	add(t, db, job("s", "c1", 0), 1, whole)
	add(t, db, job("s", "c1", 0), 0, cut)
	expect(t, read(t, db, Filter{}), "TestX: 0:1/1", "TestY: 0:1/1")
}

// Tests that failed have all their runs, those that never did none. Executions of one
// run are counted one by one.
func testTally(t *testing.T, make maker) {
	db := make(t)()
	add(t, db, job("1", "c1", 0), 1, runOf("a", 0, "TestX", "TestX", "TestY", "skip:TestZ"))
	add(t, db, job("2", "c2", 1), 2, runOf("b", 1, "TestX", "fail:TestX", "fail:TestX", "TestY"), runOf("c", 1, "skip:TestX", "crash:TestZ"))
	tally := read(t, db, Filter{})
	expect(t, tally, "TestX: 0:0/2 1:2/3", "TestZ: 1:1/1")
	x := tally.Tests[0]
	if len(x.Signatures) != 1 || x.Signatures[0].Failures != 2 || x.Signatures[0].Message != "got 7" || x.Slowest != 20*time.Millisecond {
		t.Errorf("%+v", x)
	}
	if got := x.PointsOf(x.Signatures[0]); !slices.Equal(got, x.Points) {
		t.Errorf("points of the only signature: %v, want %v", got, x.Points)
	}
	only := read(t, db, Filter{Test: func(pkg, test string) bool { return test == "TestZ" }})
	expect(t, only, "TestZ: 1:1/1")
}

// A failure of a subtest that never passed is one of the test it is part of: its name
// may be new in each run. The package itself passes whenever it does not fail.
func testOwners(t *testing.T, make maker) {
	db := make(t)()
	add(t, db, job("1", "c1", 0), 4,
		runOf("a", 0, "TestX", "TestX/always"), runOf("b", 0, "TestX/always", "fail:TestX/17", "fail:TestX/18"),
		runOf("c", 0, "fail:TestX/always"), runOf("d", 0, "fail:"))
	expect(t, read(t, db, Filter{}), ": 0:0/3 0:1/1", "TestX: 0:0/1 0:1/1", "TestX/always: 0:0/2 0:1/1")
}

// Provoked runs say nothing of how often a test fails; recorded ones do.
func testKinds(t *testing.T, make maker) {
	db := make(t)()
	p, r := runOf("p", 0, "fail:TestX"), runOf("r", 0, "fail:TestX")
	p.Kind, r.Kind = Provoked, Recorded
	add(t, db, job("1", "c1", 0), 3, p, r, runOf("a", 0, "TestX"))
	tally := read(t, db, Filter{})
	if tally.Runs != 2 || len(tally.Tests) != 1 || len(tally.Tests[0].Points) != 2 {
		t.Errorf("%d runs: %v", tally.Runs, picture(tally))
	}
}

// Sessions are in the order of commits, by the time these were made, though the clock
// of one machine is days late and an old commit is tested again. A tree with changes is
// of no commit.
func testOrder(t *testing.T, make maker) {
	db := make(t)()
	commit := func(key, hash string, made, hours int) *Session {
		s := job(key, hash, hours)
		s.Commit.Time = noon.Add(time.Duration(made) * time.Hour)
		return s
	}
	changed := commit("4", "c3", 3, 30)
	changed.Commit.Modified = true
	add(t, db, commit("1", "c2", 2, -72), 1, runOf("1", -72, "fail:TestX"))
	add(t, db, commit("2", "c1", 1, 1), 1, runOf("2", 1, "TestX"))
	add(t, db, commit("3", "c3", 3, 3), 1, runOf("3", 3, "TestX"))
	add(t, db, changed, 1, runOf("4", 30, "fail:TestX"))
	add(t, db, commit("5", "c1", 1, 50), 1, runOf("5", 50, "fail:TestX"))
	tally := read(t, db, Filter{})
	expect(t, tally, "TestX: 0:0/1 0:1/1 1:1/1 2:0/1 -1:1/1")
	var hashes []string
	for _, c := range tally.Commits {
		hashes = append(hashes, c.Hash)
	}
	if !slices.Equal(hashes, []string{"c1", "c2", "c3"}) {
		t.Errorf("commits %v", hashes)
	}
}

func testBranch(t *testing.T, make maker) {
	db := make(t)()
	s := job("2", "c2", 1)
	s.Branch = "topic"
	add(t, db, job("1", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	add(t, db, s, 1, runOf("b", 0, "fail:TestY"))
	expect(t, read(t, db, Filter{Branch: "topic"}), "TestY: 0:1/1")
}

// What is pruned is gone with all that only it needed, and can be added again, by a
// process too that remembers the names.
func testPrune(t *testing.T, make maker) {
	open := make(t)
	db, other := open(), open()
	old, recent := runOf("a", -100, "fail:TestX", "TestOld"), runOf("b", 0, "TestX", "fail:TestY")
	add(t, db, job("1", "c1", -100), 1, old)
	add(t, db, job("2", "c2", 0), 1, recent)
	n, err := other.Prune(context.Background(), noon.Add(-time.Hour))
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	expect(t, read(t, db, Filter{}), "TestY: 0:1/1")
	if size, err := db.Size(context.Background()); err != nil || size.Sessions != 1 || size.Runs != 1 || size.Failures != 1 || !size.Oldest.Equal(noon) {
		t.Errorf("%+v, %v", size, err)
	}
	add(t, db, job("1", "c1", -100), 1, old)
	expect(t, read(t, db, Filter{}), "TestX: 0:1/1 1:0/1", "TestY: 1:1/1")
}

// Names are what any program printed.
func testNames(t *testing.T, make maker) {
	db := make(t)()
	long := string(slices.Repeat([]byte("é"), 5000))
	for i, name := range []string{"Test\x00X", "Test\xffX", "'; DROP TABLE runs; --", long, "Test\n|`<b>"} {
		r := runOf(fmt.Sprint("r", i), 0, "fail:"+name)
		r.Package = name
		r.Notes = []Note{{Test: name, Key: name, Value: name}}
		add(t, db, job(fmt.Sprint("s", i), "c1", 0), 1, r)
	}
	tally := read(t, db, Filter{})
	if len(tally.Tests) != 4 { // what is no text is the same character, whatever it was
		t.Errorf("%d tests, want 4", len(tally.Tests))
	}
	for _, x := range tally.Tests {
		if len(x.Name) > 1024 || len(x.Notes) != 1 {
			t.Errorf("a name of %d bytes, notes %v", len(x.Name), x.Notes)
		}
	}
}

func testConclude(t *testing.T, make maker) {
	db := make(t)()
	ctx := context.Background()
	add(t, db, job("1", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	if done, err := db.Complete(ctx, "1"); done || err != nil {
		t.Error("complete before its end", err)
	}
	v := Verdict{Package: "example.com/m", Test: "TestX", Class: "proved", Kind: "stall", Signature: "TestX: got N", Place: "m.go:7", Failed: 20, Of: 20}
	for range 2 { // as after a kill just before
		if err := db.Conclude(ctx, "1", []Verdict{v}); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := db.Complete(ctx, "1"); !done || err != nil {
		t.Error("not complete", err)
	}
	if x := read(t, db, Filter{}).Tests[0]; !slices.Equal(x.Verdicts, []Verdict{v}) {
		t.Errorf("%+v", x.Verdicts)
	}
}

// What a test costs in a week is counted in imported results, where there are any: runs
// that fdebug makes on purpose are nobody's loss.
func testWeekly(t *testing.T, make maker) {
	db := make(t)()
	for week := range 5 {
		for i := range 10 {
			name, result := fmt.Sprint(week, " ", i), "TestX"
			if i == 3 {
				result = "fail:TestX"
			}
			add(t, db, job(name, "c"+name, week*7*24+i), 1, runOf(name, week*7*24+i, result))
		}
	}
	own := job("own", "c", 4*7*24)
	own.Source = FromRun
	for i := range 40 {
		add(t, db, own, 1, runOf(fmt.Sprint("own", i), 4*7*24, "TestX"))
	}
	tally := read(t, db, Filter{})
	ranked := tally.Rank()
	// The last 28 days have four of the five weeks, and of the first those of 9 h or later.
	if x := ranked[0]; x.Weekly != 41.0/4 || x.State != Flaky || x.Impact != x.Score.Rate*41.0/4 {
		t.Errorf("%v runs a week, %s, impact %v", x.Weekly, x.State, x.Impact)
	}
}

// Both ways in one session is flaky, of whatever commit; once and never again is not.
func testMixed(t *testing.T, make maker) {
	db := make(t)()
	add(t, db, job("1", "", 0), 2, runOf("a", 0, "TestX", "fail:TestY"), runOf("b", 0, "fail:TestX", "fail:TestY"))
	add(t, db, job("2", "", 1), 1, runOf("c", 1, "TestX", "TestY"))
	states := ""
	for _, r := range read(t, db, Filter{}).Rank() {
		states += fmt.Sprintf("%s %s; ", r.Name, r.State)
	}
	if want := "TestX flaky; TestY failed; "; states != want {
		t.Errorf("got %q, want %q", states, want)
	}
}

// Keys are made of what any program printed, and of any length: none is taken for another.
func testKeys(t *testing.T, make maker) {
	db := make(t)()
	long := string(slices.Repeat([]byte("é"), 5000))
	var runs []Run
	for _, key := range []string{"a", "a\x00", "a\xff", "a\xfe", long + "1", long + "2", "a'b", "?", "$1"} {
		runs = append(runs, runOf(key, 0, "fail:TestX"))
		add(t, db, job(key, "c1", 0), 1, runs[len(runs)-1])
		if err := db.Conclude(context.Background(), key, nil); err != nil {
			t.Fatal(err)
		}
		if done, err := db.Complete(context.Background(), key); !done || err != nil {
			t.Errorf("session %.10q: %v, %v", key, done, err)
		}
	}
	add(t, db, job("a", "c1", 0), 0, runs...)
	if size, err := db.Size(context.Background()); err != nil || size.Sessions != len(runs) || size.Runs != len(runs) || size.Bytes <= 0 {
		t.Errorf("%+v, %v", size, err)
	}
}

// Where reports are is known later than the session, and stays.
func testReports(t *testing.T, make maker) {
	db := make(t)()
	s := job("s", "c1", 0)
	for _, c := range []struct{ add, want string }{{"", ""}, {"m/a", "m/a"}, {"", "m/a"}, {"m/b", "m/a"}} {
		s.Reports = c.add
		add(t, db, s, 0)
		if list := slices.Collect(maps.Values(data(t, db).Sessions)); len(list) != 1 || list[0].Reports != c.want {
			t.Errorf("added %q: %+v; want %q", c.add, list, c.want)
		}
	}
}

// Notes are in the order of their bytes, whatever the locale of a server.
func testNotes(t *testing.T, make maker) {
	db := make(t)()
	r := runOf("a", 0, "fail:TestX")
	for _, key := range []string{"b", "B", "a", "\u00e9", "Z", "_"} {
		r.Notes = append(r.Notes, Note{Test: "TestX", Key: key, Value: "old"}, Note{Test: "TestX", Key: key, Value: "new"})
	}
	add(t, db, job("s", "c1", 0), 1, r)
	got := ""
	for _, n := range read(t, db, Filter{}).Tests[0].Notes {
		got += n.Key + "=" + n.Value + " "
	}
	if want := "B=new Z=new _=new a=new b=new \u00e9=new "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A batch may be of any size, have a run twice, one without its end before the whole one
// or after it, and tests that are new, known and slower than ever.
func testBatch(t *testing.T, make maker) {
	open := make(t)
	db := open()
	cut, whole := runOf("a", 0, "fail:TestX"), runOf("a", 0, "fail:TestX", "fail:TestY", "TestZ")
	cut.Unfinished = true
	slow := runOf("b", 0, "TestX", "TestY")
	slow.Results[0].Elapsed = time.Minute
	add(t, db, job("s", "c1", 0), 3, cut, slow, whole, cut, slow)
	expect(t, read(t, db, Filter{}), "TestX: 0:1/1 0:0/1", "TestY: 0:1/1 0:0/1")
	if x := read(t, db, Filter{}).Tests[0]; x.Slowest != time.Minute {
		t.Errorf("%v", x.Slowest)
	}
	const n = 1001
	var runs []Run
	for i := range n {
		name := fmt.Sprint("Test", i)
		runs = append(runs, runOf(fmt.Sprint("many", i), 1, "fail:TestX", "fail:"+name, "TestY"))
	}
	add(t, open(), job("s", "c1", 0), n, runs...)
	add(t, open(), job("s", "c1", 0), 0, runs...)
	tally := read(t, db, Filter{})
	if tally.Runs != n+2 || len(tally.Tests) != n+2 || tally.Results != 3*(n+1)+2 || tally.Tests[n].Slowest != time.Minute {
		t.Errorf("%d runs, %d results, %d tests, %v", tally.Runs, tally.Results, len(tally.Tests), tally.Tests[n].Slowest)
	}
}

// Whoever looks is told whether others wrote, of whatever kind.
func testVersion(t *testing.T, make maker) {
	open := make(t)
	writer, reader := open(), open()
	ctx := context.Background()
	last := ""
	look := func(what string, changed bool) {
		t.Helper()
		v, err := reader.Version(ctx)
		if err != nil || (v != last) != changed {
			t.Errorf("%s: version %s after %s, %v", what, v, last, err)
		}
		last = v
	}
	look("at first", true)
	add(t, writer, job("s", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	look("a run", true)
	look("nothing", false)
	if err := writer.Conclude(ctx, "s", nil); err != nil {
		t.Fatal(err)
	}
	look("its end", true)
	s := job("s", "c1", 0)
	s.Reports = "m/1"
	add(t, writer, s, 0)
	look("where its reports are", true)
	if _, err := writer.Prune(ctx, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	look("its removal", true)
	look("nothing", false)
}
