package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/fdebug/fdebug/internal/lab/pgtest"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

func TestMain(m *testing.M) {
	code := m.Run()
	theServer.Close()
	os.Exit(code)
}

// theServer is started by the first test that needs it, and ended by TestMain.
var theServer pgtest.Shared

// database returns the URL of a database that is empty.
func database(t testing.TB) string {
	t.Helper()
	server, err := theServer.Server()
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return databaseOf(t, server)
}

func databaseOf(t testing.TB, server *pgtest.Server) string {
	t.Helper()
	url, err := server.Database()
	if err != nil {
		t.Fatal(err)
	}
	return url
}

func openServer(t *testing.T, url string) *history.DB {
	t.Helper()
	db, err := Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// addOne adds a run, and expects it to be new.
func addOne(t *testing.T, db *history.DB) {
	t.Helper()
	n, err := db.Add(context.Background(), &history.Session{Key: "s"}, []history.Run{{Key: "a", Results: []history.Result{{Test: "TestX", Status: history.Failed}}}})
	if err != nil || n != 1 {
		t.Fatalf("%d runs, %v; want 1", n, err)
	}
	expectOne(t, db)
}

func expectOne(t *testing.T, db *history.DB) {
	t.Helper()
	tally, err := history.Read(context.Background(), db, history.Filter{})
	if err != nil || tally.Runs != 1 || len(tally.Tests) != 1 || tally.Tests[0].Name != "TestX" {
		t.Errorf("%+v, %v; want a run in which TestX failed", tally, err)
	}
}

// execute makes a database do something by itself.
func execute(t *testing.T, url string, queries ...string) {
	t.Helper()
	cfg, err := configOf(url)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	for _, query := range queries {
		if _, err := db.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
}

// A database of a newer fdebug is left alone.
func TestServerNewer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	url := database(t)
	openServer(t, url)
	execute(t, url, "UPDATE schema_version SET version = 99")
	if _, err := Open(context.Background(), url); !history.IsNewer(err) || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("got %v", err)
	}
}

// tablesOf are what a version of fdebug made in an empty database, 0 for none.
func tablesOf(t *testing.T, version int) (queries []string) {
	t.Helper()
	first, err := os.ReadFile("testdata/version1.sql")
	if err != nil {
		t.Fatal(err)
	}
	if version >= 1 {
		queries = append(queries, string(first), "CREATE TABLE schema_version (version BIGINT NOT NULL)",
			fmt.Sprintf("INSERT INTO schema_version VALUES (%d)", version))
	}
	if version >= 2 {
		queries = append(queries, `ALTER TABLE sessions ADD COLUMN reports TEXT COLLATE "C" NOT NULL DEFAULT ''`,
			"UPDATE sessions SET reports = 'm/r'")
	}
	return queries
}

// oldRows are rows of an older version: a session with a verdict and three runs, the last without
// an end, and a session that has none.
var oldRows = []string{
	"INSERT INTO facts VALUES ('written', 7)",
	"INSERT INTO commits (id, hash, time) VALUES (1, 'c1', 1000)",
	"INSERT INTO environments (id, go, platform, ci) VALUES (1, 'go1.26.8', 'linux', 'GitLab')",
	`INSERT INTO sessions (id, key, source, started, commit_id, modified, branch, job, attempt, environment_id, complete)
		VALUES (1, 's', 'import', 1764288000999, 1, 1, 'main', 'j', 2, 1, 1), (2, 'bare', 'run', 3000, 0, 0, '', '', 0, 1, 0)`,
	"INSERT INTO packages (id, path) VALUES (1, 'm')",
	"INSERT INTO tests (id, package_id, name, slowest) VALUES (1, 1, '', 0), (2, 1, 'TestX', 5)",
	`INSERT INTO tests (id, package_id, name, slowest) VALUES (3, 1, E'Test"\\\n\té<', 0)`,
	`INSERT INTO sets (id, hash, content) VALUES (1, 'h', '\x0404'), (2, 'i', '\x04'), (3, 'j', decode(repeat('04', 100), 'hex'))`,
	`INSERT INTO runs (id, key, session_id, package_id, kind, started, elapsed, unfinished, set_id)
		VALUES (1, 'a', 1, 1, 'plain', 2000, 9, 0, 1), (2, 'b', 1, 1, 'recorded', 2001, 9, 0, 2),
			(3, 'c', 1, 1, 'plain', 2002, 9, 1, 2)`,
	"INSERT INTO signatures (id, test_id, text, message) VALUES (1, 2, 'TestX: got N', 'got 7')",
	`INSERT INTO failures (run_id, nth, test_id, signature_id, status, elapsed)
		VALUES (2, 0, 2, 1, 'fail', 3), (3, 0, 2, 1, 'crash', 3)`,
	"INSERT INTO notes (test_id, key, value, noted) VALUES (2, 'k', 'v', 4000)",
	`INSERT INTO verdicts (session_id, nth, test_id, class, kind, category, signature, place, failed, runs)
		VALUES (1, 0, 2, 'proved', 'stall', 'race', 'TestX: got N', 'm.go:7', 19, 20)`,
}

// wantOld is the content of oldRows, without the places of reports.
func wantOld() *history.Data {
	env := history.Environment{Go: "go1.26.8", Platform: "linux", CI: "GitLab"}
	return &history.Data{
		Tests: map[int64]history.TestRow{1: {Package: "m"}, 2: {
			Package: "m", Name: "TestX", Slowest: 5, Notes: map[string]history.NoteRow{"k": {Value: "v", Noted: 4000}}},
			3: {Package: "m", Name: "Test\"\\\n\té<"}},
		Signatures: map[int64]history.SignatureRow{1: {Test: 2, Text: "TestX: got N", Message: "got 7"}},
		Sets:       map[int64][]byte{1: {4, 4}, 2: {4}, 3: bytes.Repeat([]byte{4}, 100)},
		Sessions: map[int64]history.SessionRow{
			1: {Session: history.Session{
				Key: "s", Source: "import", Started: history.FromMillis(1764288000999), Branch: "main", Job: "j", Attempt: 2, Env: env,
				Commit: history.Commit{Hash: "c1", Time: history.FromMillis(1000), Modified: true},
			}, Complete: true, Verdicts: []history.Verdict{{
				Package: "m", Test: "TestX", Class: "proved", Kind: "stall", Category: "race", Signature: "TestX: got N",
				Place: "m.go:7", Failed: 19, Of: 20,
			}}},
			2: {Session: history.Session{Key: "bare", Source: "run", Started: history.FromMillis(3000), Env: env}},
		},
		Runs: map[int64]history.RunRow{
			1: {Key: keptKey("a"), Session: 1, Started: 2000, Set: 1, Kind: history.Plain},
			2: {Key: keptKey("b"), Session: 1, Started: 2001, Set: 2, Kind: history.Recorded,
				Failures: []history.FailureRow{{Signature: 1, Status: history.Failed}}},
			3: {Key: keptKey("c"), Session: 1, Started: 2002, Set: 2, Kind: history.Plain, Unfinished: true,
				Failures: []history.FailureRow{{Signature: 1, Status: history.Crashed}}},
		},
	}
}

// keptKey returns the part of a run's key that the history keeps.
func keptKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.StdEncoding.EncodeToString(sum[:12])
}

// Each version is brought up to date, by several processes at once: nothing is lost, and runs that
// are there count as known.
func TestServerMigrate(t *testing.T) {
	for version := range known {
		url := database(t)
		tables := tablesOf(t, version)
		if version > 0 {
			tables = slices.Insert(tables, 1, oldRows...)
		}
		execute(t, url, tables...)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				again, err := Open(context.Background(), url)
				if err != nil {
					t.Errorf("from version %d: %v", version, err)
					return
				}
				again.Close()
			})
		}
		wg.Wait()
		db := openServer(t, url)
		if version == 0 {
			addOne(t, db)
			continue
		}
		want := wantOld()
		if version == 2 {
			for id, s := range want.Sessions {
				s.Reports = "m/r"
				want.Sessions[id] = s
			}
		}
		got, err := db.Data(context.Background())
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("from version %d: %v (-want +got)\n%s", version, err, diff)
		}
		runs := []history.Run{{Key: "a", Package: "m"}, {Key: "c", Package: "m"}, {Key: "d", Package: "m"}}
		if n, err := db.Add(context.Background(), &history.Session{Key: "s"}, runs); n != 2 || err != nil {
			t.Errorf("from version %d: %d runs were new, %v; want the one without an end and the new one", version, n, err)
		}
	}
}

// Behind a pooler nothing is prepared, and arguments are part of the query.
func TestServerPooled(t *testing.T) {
	addOne(t, openServer(t, database(t)+"&default_query_exec_mode=simple_protocol"))
}

// Tables of somebody else are not touched, and a schema of its own is beside them.
func TestServerOccupied(t *testing.T) {
	url := database(t)
	execute(t, url, "DROP SCHEMA IF EXISTS fdebug CASCADE; CREATE SCHEMA fdebug; CREATE TABLE lines (theirs TEXT)")
	_, err := Open(context.Background(), url)
	var server *history.ServerError
	if !errors.As(err, &server) || !server.Occupied || server.Unreachable {
		t.Errorf("got %v", err)
	}
	addOne(t, openServer(t, url[:strings.Index(url, "&search_path=")]+"&search_path=fdebug"))
	execute(t, url, "SELECT theirs FROM lines")
}

// Who may only read reads, and makes nothing.
func TestServerReadOnly(t *testing.T) {
	url := database(t)
	_, err := OpenReadOnly(context.Background(), url)
	if _, empty := history.IsOlder(err); !empty {
		t.Errorf("an empty database: %v", err)
	}
	addOne(t, openServer(t, url))
	ro := openServer(t, url+"&default_transaction_read_only=on")
	expectOne(t, ro)
	live, err := OpenReadOnly(context.Background(), url+"&default_transaction_read_only=on")
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	expectOne(t, live)
	if _, err := ro.Add(context.Background(), &history.Session{Key: "t"}, nil); err == nil {
		t.Error("it was written to")
	}
}

// What is said of a server that is away says so.
func TestServerUnreachable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	server, err := pgtest.Start()
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := databaseOf(t, server)
	log, err := dial(context.Background(), url, true)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	log.patience = 0
	server.Stop()
	checkUnreachable(t, history.NewDB(log), url)
}

// checkUnreachable looks at what is said of a server that is away.
func checkUnreachable(t *testing.T, db *history.DB, url string) {
	t.Helper()
	_, reading := db.Size(context.Background())
	_, writing := db.Add(context.Background(), &history.Session{Key: "s"}, nil)
	_, opening := Open(context.Background(), url)
	for _, err := range []error{reading, writing, opening} {
		var server *history.ServerError
		if !errors.As(err, &server) || !server.Unreachable || server.Occupied || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v", err)
		}
		pgtest.CheckNoPassword(t, "an error", fmt.Sprintf("%v %+v %#v", err, err, server))
	}
}

// What is shown of a URL has no password; where that can't be told nothing is shown.
func TestShowServer(t *testing.T) {
	for raw, want := range map[string]string{
		"postgres://u:secret@h/db":                            "postgres://u@h/db",
		"postgresql://u:secret@h:5433/db?password=secret":     "postgres://u@h:5433/db",
		"postgres://h/db?user=u&password=secret":              "postgres://h/db",
		"postgres://u:se%40cr%2Fet@h1:1,h2:2/db?sslmode=none": "postgres://u@h1:1,h2:2/db",
		"postgres://u:sec@ret@h/db":                           "postgres://u@h/db",
		"postgres://u:1/secret@h/db":                          history.HiddenServer,
		"postgres://u:1?secret@h/db":                          history.HiddenServer,
		"postgres://u:1#secret@h/db":                          history.HiddenServer,
		"postgres://u:1#secret":                               history.HiddenServer,
		"postgres://u:sec/ret@h/db":                           history.HiddenServer,
		"postgres://u:sec ret@h/db":                           history.HiddenServer,
		"postgres://u:%zz@h/db":                               history.HiddenServer,
		"host=h user=u password=secret":                       history.HiddenServer,
		"mysql://u:secret@h/db":                               history.HiddenServer,
		"postgres:u:secret@h":                                 history.HiddenServer,
		"":                                                    history.HiddenServer,
	} {
		if got := history.ShowServer(raw); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
		if _, err := Open(t.Context(), raw); want == history.HiddenServer && err != errURL {
			t.Errorf("%s: got %v", raw, err)
		}
	}
}

// A password that is wrong, or of a database that is not there, is not told.
func TestServerRefuses(t *testing.T) {
	url := database(t)
	for what, bad := range map[string]string{
		"password":        strings.Replace(url, ":p", ":wrongsecret", 1),
		"nothere":         strings.Replace(url, "/postgres", "/nothere", 1),
		"connect_timeout": url + "&connect_timeout=wrongsecret",
	} {
		_, err := Open(context.Background(), bad)
		if err == nil || strings.Contains(err.Error(), "wrongsecret") || !errors.Is(err, errURL) && !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v", what, err)
		}
		pgtest.CheckNoPassword(t, "an error", fmt.Sprint(err))
		t.Log(err)
	}
}
