package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdebug/fdebug/internal/lab/browsertest"
	"github.com/fdebug/fdebug/internal/lab/lightbuild"
	"github.com/fdebug/fdebug/internal/lab/pgtest"
	"github.com/fdebug/fdebug/internal/lab/slurmtest"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/tracker"
)

// The first test that needs one starts it.
var (
	theServer  pgtest.Shared
	theCluster slurmtest.Shared
	browsers   browsertest.Shared
)

// served runs tests, and ends the servers after them.
type served struct{ *testing.M }

func (s served) Run() int {
	defer theZoo.Close()
	defer theServer.Close()
	defer theCluster.Close()
	defer browsers.Close()
	lightbuild.Use()
	return s.M.Run()
}

func hasServer() (bool, error) {
	_, err := theServer.Server()
	if errors.Is(err, pgtest.ErrNone) {
		return false, nil
	}
	return err == nil, err
}

func hasCluster() (bool, error) {
	_, err := theCluster.Cluster()
	if errors.Is(err, slurmtest.ErrNone) {
		return false, nil
	}
	return err == nil, err
}

// databaseCommand sets a variable of a script to the URL of an empty database.
func databaseCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: database NAME")
	}
	server, err := theServer.Server()
	ts.Check(err)
	url, err := server.Database()
	ts.Check(err)
	ts.Setenv(args[0], url)
}

// No password of a URL is printed or stored, however it was typed.
func TestRedact(t *testing.T) {
	const url = "postgres://team:p%40ss%2Fw%3Ard@h/db"
	for _, args := range [][]string{
		{"run", "-db", url, "./..."}, {"run", "-db=" + url}, {"run", "--db=" + url}, {"import", url}, {"run", "--", "-dsn=" + url},
		{"run", "-db", "postgres://team:p%40ss%2Fw%3Ard"}, {"run", "-db", "postgres://h/db?user=team&password=p%40ss%2Fw%3Ard"},
		{"run", "-db=mysql://team:p%40ss%2Fw%3Ard@h"}, {"run", "--", "postgresql://h/db?a=b&password=p%40ss%2Fw%3Ard&c=d"},
		{"run", "-db", "p%40ss%2Fw%3Ard"}, {"run", "-db", "postgres://team:1/p%40ss%2Fw%3Ard@h/db"},
	} {
		a := &app{Console: &session.Console{}, args: append([]string{"/bin/fdebug"}, args...)}
		got := strings.Join(a.command(), " ")
		if strings.Contains(got, "%2Fw") || !strings.HasPrefix(got, "fdebug "+args[0]) || len(a.command()) != len(args)+1 {
			t.Errorf("%q: %s", args, got)
		}
	}
	for text, want := range map[string]string{
		"open postgres://u:p@ss@h/db: no": "open postgres://u@h/db: no",
		"postgres://u@h/db":               "postgres://u@h/db",
		"see https://u:p@h":               "see https://u:p@h",
		"x?sslpassword=a&b":               "x?sslpassword=...&b",
	} {
		if got := tracker.Redact(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
