package sqlite

import (
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// Histories that an older fdebug has left, with what it read of them: one whose last two
// sessions are in its log alone, the same without the log, and one of the first version.
var oldFiles = map[string][]string{"log": {"log.db", "log.db-wal"}, "plain": {"log.db"}, "first": {"first.db"}}

func unpack(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// old lays such a history where that of today is to be.
func old(t *testing.T, name string) (file string) {
	t.Helper()
	dir := t.TempDir()
	for i, suffix := range []string{"", "-wal"}[:len(oldFiles[name])] {
		if err := os.WriteFile(filepath.Join(dir, history.OldName+suffix), unpack(t, oldFiles[name][i]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, history.Name)
}

// What an older fdebug has left becomes today's file, whoever is the first to do it, and only
// when it is asked for. What it knows counts once.
func TestConvert(t *testing.T) {
	ctx := context.Background()
	for name := range oldFiles {
		t.Run(name, func(t *testing.T) {
			file := old(t, name)
			for _, open := range []func(context.Context, string) (history.DB, error){history.Open, history.OpenReadOnly} {
				if _, err := open(ctx, file); !history.IsOld(err) {
					t.Errorf("got %v", err)
				}
			}
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if err := history.Convert(ctx, file, Read); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			db, err := history.Open(ctx, file)
			if err != nil {
				t.Fatal(err)
			}
			expectOld(t, db, name)
			addAgain(t, db, file)
			expectOld(t, db, name)
		})
	}
}

// expectOld compares a history with what the older fdebug has read of it.
func expectOld(t *testing.T, db history.DB, name string) {
	t.Helper()
	tally, err := history.Read(context.Background(), db, history.Filter{BySession: true, Test: func(pkg, test string) bool {
		return pkg != "example.com/big" || test == "TestLast" || test == "T0007"
	}})
	if err != nil {
		t.Fatal(err)
	}
	var want history.Tally
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(indented(t, &want), indented(t, tally)); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", name, diff)
	}
}

func indented(t *testing.T, tally *history.Tally) string {
	t.Helper()
	data, err := json.MarshalIndent(tally, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// addAgain adds a run that is known.
func addAgain(t *testing.T, db history.DB, file string) {
	t.Helper()
	was, err := sql.Open("sqlite", nameOf(filepath.Join(filepath.Dir(file), history.OldName)))
	if err != nil {
		t.Fatal(err)
	}
	defer was.Close()
	var session, run string
	err = was.QueryRow("SELECT s.key, r.key FROM runs r JOIN sessions s ON s.id = r.session_id WHERE NOT r.unfinished ORDER BY r.id DESC").Scan(&session, &run)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := db.Add(context.Background(), &history.Session{Key: session}, []history.Run{{Key: run}}); err != nil || n != 0 {
		t.Errorf("run %q of session %q: %d added, %v; want 0", run, session, n, err)
	}
}

// What can't be read is told with the name of the file, and no history begins. An empty file
// is what a process has left that was killed at once.
func TestRefused(t *testing.T) {
	plain := unpack(t, "log.db")
	newer := append([]byte(nil), plain...)
	newer[63] = 99 // its user version
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"text":  {[]byte("this is no database\n"), "not a database"},
		"cut":   {plain[:len(plain)/2], "malformed"},
		"newer": {newer, "version 99"},
		"empty": {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), history.Name)
			was := filepath.Join(filepath.Dir(file), history.OldName)
			if err := os.WriteFile(was, c.content, 0o666); err != nil {
				t.Fatal(err)
			}
			err := history.Convert(context.Background(), file, Read)
			_, missing := os.Stat(file)
			if c.want == "" && (err != nil || missing != nil) {
				t.Errorf("got %v, %v", err, missing)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), was+": ") || !strings.Contains(err.Error(), c.want) || missing == nil) {
				t.Errorf("got %v, %v; want %q", err, missing, c.want)
			}
		})
	}
}
