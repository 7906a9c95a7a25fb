package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/pgtest"
)

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

func execute(t *testing.T, db DB, query string) {
	t.Helper()
	if _, err := db.(*sqlDB).db.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func openServer(t *testing.T, url string) DB {
	t.Helper()
	db, err := OpenServer(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// emptied removes all tables, and their schema remains.
const emptied = `DO $$ BEGIN EXECUTE 'DROP SCHEMA ' || current_schema() || ' CASCADE'; END $$;
	DO $$ BEGIN EXECUTE 'CREATE SCHEMA ' || current_setting('search_path'); END $$`

// A database of a newer fdebug is left alone.
func TestServerNewer(t *testing.T) {
	url := database(t)
	execute(t, openServer(t, url), "UPDATE schema_version SET version = 99")
	if _, err := OpenServer(context.Background(), url); !IsNewer(err) || !strings.Contains(err.Error(), "version 99") {
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
			execute(t, db, postgres("").types(step))
		}
		if version > 0 {
			execute(t, db, fmt.Sprintf("CREATE TABLE schema_version (version BIGINT NOT NULL); INSERT INTO schema_version VALUES (%d)", version))
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				again, err := OpenServer(context.Background(), url)
				if err != nil {
					t.Errorf("from version %d: %v", version, err)
					return
				}
				again.Close()
			})
		}
		wg.Wait()
		add(t, openServer(t, url), job("s", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	}
}

// Tables of somebody else are not touched, and a schema of its own is beside them.
func TestServerOccupied(t *testing.T) {
	url := database(t)
	db := openServer(t, url)
	execute(t, db, emptied+"; DROP SCHEMA IF EXISTS fdebug CASCADE; CREATE SCHEMA fdebug; CREATE TABLE sessions (theirs TEXT)")
	_, err := OpenServer(context.Background(), url)
	var server *ServerError
	if !errors.As(err, &server) || !server.Occupied() || server.Unreachable() {
		t.Errorf("got %v", err)
	}
	add(t, openServer(t, url[:strings.Index(url, "&search_path=")]+"&search_path=fdebug"), job("s", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	execute(t, db, "SELECT theirs FROM sessions")
}

// Who may only read reads, and makes nothing.
func TestServerReadOnly(t *testing.T) {
	url := database(t)
	var older *OlderError
	if _, err := OpenServerLive(context.Background(), url); !errors.As(err, &older) || older.Version != 0 {
		t.Errorf("an empty database: %v", err)
	}
	add(t, openServer(t, url), job("s", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	ro := openServer(t, url+"&default_transaction_read_only=on")
	expect(t, read(t, ro, Filter{}), "TestX: 0:1/1")
	live, err := OpenServerLive(context.Background(), url+"&default_transaction_read_only=on")
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	expect(t, read(t, live, Filter{}), "TestX: 0:1/1")
	if _, err := ro.Add(context.Background(), job("t", "c1", 0), nil); err == nil {
		t.Error("it was written to")
	}
}

// A server goes away in the middle of writing, and comes back, again and again: writers
// go on, and all is there, each once.
func TestServerAway(t *testing.T) {
	t.Parallel()
	server, err := pgtest.Start()
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := databaseOf(t, server)
	reader := openServer(t, url)
	var wg sync.WaitGroup
	for i := range 3 {
		cmd := writing(url, i*writerSessions/2)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(out)
		if _, err := in.ReadString('\n'); err != nil { // it has begun
			t.Fatal(err)
		}
		wg.Go(func() {
			io.Copy(io.Discard, in)
			if err := cmd.Wait(); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	done := make(chan bool)
	go func() { wg.Wait(); close(done) }()
	stops, most := 0, 8
	if testing.Short() {
		most = 3
	}
	for going := true; going && stops < most; stops++ {
		server.Stop()
		if err := server.Resume(); err != nil {
			t.Fatal(err)
		}
		if _, err := reader.Size(context.Background()); err != nil {
			t.Errorf("read after %d stops: %v", stops+1, err)
		}
		select {
		case <-done:
			going = false
		case <-time.After(100 * time.Millisecond):
		}
	}
	<-done
	checkWritten(t, url, 2*writerSessions/2+writerSessions)
	t.Logf("%d stops", stops)
	server.Stop()
	checkUnreachable(t, reader, url)
}

// checkUnreachable looks at what is said of a server that is away.
func checkUnreachable(t *testing.T, open DB, url string) {
	t.Helper()
	open.(*sqlDB).patience = 0
	_, reading := open.Size(context.Background())
	_, writing := open.Add(context.Background(), job("s", "c1", 0), nil)
	_, opening := OpenServer(context.Background(), url)
	for _, err := range []error{reading, writing, opening} {
		var server *ServerError
		if !errors.As(err, &server) || !server.Unreachable() || server.Occupied() || strings.Contains(err.Error(), "\n") {
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
		"postgres://u:1/secret@h/db":                          hidden,
		"postgres://u:1?secret@h/db":                          hidden,
		"postgres://u:1#secret@h/db":                          hidden,
		"postgres://u:1#secret":                               hidden,
		"postgres://u:sec/ret@h/db":                           hidden,
		"postgres://u:sec ret@h/db":                           hidden,
		"postgres://u:%zz@h/db":                               hidden,
		"host=h user=u password=secret":                       hidden,
		"mysql://u:secret@h/db":                               hidden,
		"postgres:u:secret@h":                                 hidden,
		"":                                                    hidden,
	} {
		if got := ShowServer(raw); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
		if _, err := OpenServer(t.Context(), raw); want == hidden && err != errURL {
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
		_, err := OpenServer(context.Background(), bad)
		if err == nil || strings.Contains(err.Error(), "wrongsecret") || !errors.Is(err, errURL) && !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v", what, err)
		}
		pgtest.CheckNoPassword(t, "an error", fmt.Sprint(err))
		t.Log(err)
	}
}
