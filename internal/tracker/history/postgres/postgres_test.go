package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

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

func openServer(t *testing.T, url string) history.DB {
	t.Helper()
	db, err := Open(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// addOne adds a run, and expects it to be new.
func addOne(t *testing.T, db history.DB) {
	t.Helper()
	n, err := db.Add(context.Background(), &history.Session{Key: "s"}, []history.Run{{Key: "a", Results: []history.Result{{Test: "TestX", Status: history.Failed}}}})
	if err != nil || n != 1 {
		t.Fatalf("%d runs, %v; want 1", n, err)
	}
	expectOne(t, db)
}

func expectOne(t *testing.T, db history.DB) {
	t.Helper()
	tally, err := history.Read(context.Background(), db, history.Filter{})
	if err != nil || tally.Runs != 1 || len(tally.Tests) != 1 || tally.Tests[0].Name != "TestX" {
		t.Errorf("%+v, %v; want a run in which TestX failed", tally, err)
	}
}

func execute(t *testing.T, db history.DB, query string) {
	t.Helper()
	if _, err := db.(*server).db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

// emptied removes all tables, and their schema remains.
const emptied = `DO $$ BEGIN EXECUTE 'DROP SCHEMA ' || current_schema() || ' CASCADE'; END $$;
	DO $$ BEGIN EXECUTE 'CREATE SCHEMA ' || current_setting('search_path'); END $$`

// A database of a newer fdebug is left alone.
func TestServerNewer(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	url := database(t)
	execute(t, openServer(t, url), "UPDATE schema_version SET version = 99")
	if _, err := Open(context.Background(), url); !history.IsNewer(err) || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("got %v", err)
	}
}

// Each version is brought up to date by the steps that follow it, by several processes at
// once.
func TestServerMigrate(t *testing.T) {
	for version := range len(migrations) {
		url := database(t)
		db := openServer(t, url)
		execute(t, db, emptied)
		for _, step := range migrations[:version] {
			execute(t, db, step)
		}
		if version > 0 {
			execute(t, db, fmt.Sprintf("CREATE TABLE schema_version (version BIGINT NOT NULL); INSERT INTO schema_version VALUES (%d)", version))
		}
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
		addOne(t, openServer(t, url))
	}
}

// Behind a pooler nothing is prepared, and arguments are part of the query.
func TestServerPooled(t *testing.T) {
	addOne(t, openServer(t, database(t)+"&default_query_exec_mode=simple_protocol"))
}

// Tables of somebody else are not touched, and a schema of its own is beside them.
func TestServerOccupied(t *testing.T) {
	url := database(t)
	db := openServer(t, url)
	execute(t, db, emptied+"; DROP SCHEMA IF EXISTS fdebug CASCADE; CREATE SCHEMA fdebug; CREATE TABLE sessions (theirs TEXT)")
	_, err := Open(context.Background(), url)
	var server *history.ServerError
	if !errors.As(err, &server) || !server.Occupied || server.Unreachable {
		t.Errorf("got %v", err)
	}
	addOne(t, openServer(t, url[:strings.Index(url, "&search_path=")]+"&search_path=fdebug"))
	execute(t, db, "SELECT theirs FROM sessions")
}

// Who may only read reads, and makes nothing.
func TestServerReadOnly(t *testing.T) {
	url := database(t)
	var older *history.OlderError
	if _, err := OpenReadOnly(context.Background(), url); !errors.As(err, &older) || older.Version != 0 {
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
	db := openServer(t, url)
	server.Stop()
	checkUnreachable(t, db, url)
}

// checkUnreachable looks at what is said of a server that is away.
func checkUnreachable(t *testing.T, db history.DB, url string) {
	t.Helper()
	db.(*server).patience = 0
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
