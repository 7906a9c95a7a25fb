package serve

import (
	"context"
	"crypto/sha1"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/team"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

var (
	begin = time.Date(2026, 9, 1, 6, 0, 0, 0, time.UTC)
	now   = begin.Add(40*24*time.Hour - 3*time.Hour)
)

// A fixture is a history made by hand, and reports beside it.
type fixture struct {
	t       *testing.T
	file    string // the history
	options Options

	elsewhere string // the host that hostile reports want to reach
}

// newFixture makes a history of 40 commits, a day apart and tested four times each, with
// a test in every state there is:
//
//	TestCheckout     flaky: of commits from the 20th on it fails in every fourth run
//	TestSend         flaky: a subtest with a name of its own in each run fails in every
//	                 eighth run
//	TestDrain        gone: it fails in every second run of the first ten commits
//	TestParse        broken: it fails in every run of the last six
//	TestOnce         failed: once, in the only run of it
//	TestFine         never fails
func newFixture(t *testing.T) *fixture {
	dir := t.TempDir()
	f := &fixture{t: t, file: filepath.Join(dir, history.Name), elsewhere: "evil.example"}
	f.options = Options{
		Pages: team.Pages{
			Open:  func(ctx context.Context) (*history.DB, error) { return history.OpenReadOnly(ctx, f.file) },
			Local: filepath.Join(dir, "runs"), Shared: filepath.Join(dir, "shared"),
		},
		Loopback: true, clock: func() time.Time { return now },
	}
	f.write(func(db *history.DB) {
		for day := range 40 {
			f.add(db, sessionOf(day), f.runs(day)...)
		}
		f.experiment(db)
	})
	f.report(f.options.Local, "20261008-090000", 12, 50)
	f.report(f.options.Local, "20261009-090000", 9, 50)
	f.report(filepath.Join(f.options.Shared, "example.com", "shop"), "20261001-120000", 20, 40)
	return f
}

// write opens the history to be written to.
func (f *fixture) write(do func(*history.DB)) {
	f.t.Helper()
	db, err := history.Open(context.Background(), f.file)
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	do(db)
}

func (f *fixture) add(db *history.DB, s *history.Session, runs ...history.Run) {
	f.t.Helper()
	if _, err := db.Add(context.Background(), s, runs); err != nil {
		f.t.Fatal(err)
	}
	if err := db.Conclude(context.Background(), s.Key, nil); err != nil {
		f.t.Fatal(err)
	}
}

// hashOf is the commit of a day.
func hashOf(day int) string { return fmt.Sprintf("%x", sha1.Sum([]byte{byte(day)})) }

func sessionOf(day int) *history.Session {
	at := begin.Add(time.Duration(day) * 24 * time.Hour)
	return &history.Session{
		Key: fmt.Sprint("ci ", day), Source: history.FromImport, Started: at, Commit: history.Commit{Hash: hashOf(day), Time: at.Add(-time.Hour)},
		Branch: "main", Job: "linux/test", Attempt: 1, Env: history.Environment{Go: "go1.26.8", Platform: "linux/amd64", CI: "GitHub Actions"},
	}
}

// runs are what CI did on a day.
func (f *fixture) runs(day int) (list []history.Run) {
	for n := range 4 {
		at := begin.Add(time.Duration(day)*24*time.Hour + time.Duration(n)*2*time.Hour)
		cart := history.Run{Key: fmt.Sprint("cart ", day, n), Package: "example.com/shop/cart", Kind: history.Plain, Started: at}
		cart.Results = append(cart.Results, outcome("TestFine", false, ""),
			outcome("TestCheckout", day >= 20 && n == day%4, "got 1 article, want 2"),
			outcome("TestDrain", day < 10 && n%2 == 0, "queue_test.go:41: 3 jobs left"),
			outcome("TestParse", day >= 34, "unexpected end of input"))
		if day == 39 && n == 3 {
			cart.Results = append(cart.Results, outcome("TestOnce", true, "panic: index out of range"))
		}
		mail := history.Run{Key: fmt.Sprint("mail ", day, n), Package: "example.com/shop/mail", Kind: history.Plain, Started: at}
		if day%2 == 0 && n == 1 {
			mail.Results = append(mail.Results, outcome(fmt.Sprintf("TestSend/to_%d@example.com", 1000+day), true, "timeout after 2s"))
		} else {
			mail.Results = append(mail.Results, outcome("TestSend", false, ""))
		}
		list = append(list, cart, mail)
	}
	return list
}

func outcome(test string, failed bool, message string) history.Result {
	r := history.Result{Test: test, Status: history.Passed, Elapsed: 20 * time.Millisecond}
	if failed {
		r.Status, r.Signature, r.Message = history.Failed, message, message
	}
	return r
}

// experiment adds what fdebug has shown of TestCheckout, of the 30th commit.
func (f *fixture) experiment(db *history.DB) {
	f.t.Helper()
	s := sessionOf(30)
	s.Key, s.Source, s.Job, s.Attempt, s.Started = "fdebug", history.FromRun, "", 0, s.Started.Add(12*time.Hour)
	s.Reports = "example.com/shop/20261001-120000"
	run := history.Run{Key: "fdebug run", Package: "example.com/shop/cart", Kind: history.Recorded, Started: s.Started, Results: []history.Result{
		outcome("TestCheckout", true, "got 1 article, want 2"), outcome("TestFine", false, "")}}
	if _, err := db.Add(context.Background(), s, []history.Run{run}); err != nil {
		f.t.Fatal(err)
	}
	if err := db.Conclude(context.Background(), s.Key, []history.Verdict{{
		Package: "example.com/shop/cart", Test: "TestCheckout", Class: "proved", Kind: "hold", Category: "async-wait",
		Signature: "TestCheckout: got 1 article, want 2", Place: "cart/store.go:62", Failed: 20, Of: 20,
	}}); err != nil {
		f.t.Fatal(err)
	}
}

// report writes the reports of a run in which TestCheckout failed in so many of n runs.
func (f *fixture) report(dir, id string, failed, n int) string {
	f.t.Helper()
	test := &finding.Test{Package: "example.com/shop/cart", Name: "TestCheckout"}
	failure := &finding.Failure{Signature: "TestCheckout: got 1 article, want 2", Message: "got 1 article, want 2"}
	for i := range n {
		r := finding.Run{N: i + 1, Status: finding.Passed, Elapsed: time.Millisecond, Failure: -1}
		if i < failed {
			r.Status, r.Failure = finding.Failed, 0
			failure.Runs = append(failure.Runs, r.N)
		}
		test.Runs = append(test.Runs, r)
	}
	test.Failures = []*finding.Failure{failure}
	started, err := time.Parse("20060102-150405", id)
	if err != nil {
		f.t.Fatal(err)
	}
	out := filepath.Join(dir, id)
	if _, err := report.WriteDir(context.Background(), out, &finding.Result{
		Command: []string{"fdebug", "run", "./cart"}, Go: "go1.26.8", Module: "example.com/shop", Started: started,
		Sites: &trace.Sites{Module: "example.com/shop", Blocks: make([]trace.Block, 1)}, Tests: []*finding.Test{test}, Executions: n,
		Source: func(string) ([]byte, error) { return nil, fs.ErrNotExist },
	}); err != nil {
		f.t.Fatal(err)
	}
	return out
}

// start makes the server.
func (f *fixture) start() *Server {
	f.t.Helper()
	s, err := New(context.Background(), f.options)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { s.Close() })
	return s
}

// get asks a server for a path, with headers in pairs.
func get(s *Server, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "http://localhost"+path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// put writes a file, and its directory.
func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
