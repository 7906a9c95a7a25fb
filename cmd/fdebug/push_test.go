package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/pgtest"
	"github.com/fdebug/fdebug/internal/tracker"
	"github.com/fdebug/fdebug/internal/tracker/history/postgres"
)

var pushKills = flag.Int("pushkills", 10, "how often a push is killed")

// What is pushed: how many runs and pages a run directory has.
const (
	pushedRuns  = 1200
	pushedPages = 30
	pageSize    = 40_000
)

// A push is killed and repeated again and again. In the end everything is there, exactly once.
func TestPushKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	if ok, err := hasServer(); err != nil {
		t.Fatal(err)
	} else if !ok {
		t.Skip(pgtest.ErrNone)
	}
	server, _ := theServer.Server()
	url, err := server.Database()
	if err != nil {
		t.Fatal(err)
	}
	p := &pusher{t: t, url: url, store: t.TempDir(), to: t.TempDir(), program: filepath.Join(t.TempDir(), "fdebug")}
	if err := os.Symlink(testProgram(t), p.program); err != nil {
		t.Skip(err)
	}
	p.makeRun(0)
	began := time.Now()
	p.finish()
	whole := time.Since(began)
	kills, dirs, want := 0, 1, *pushKills
	if testing.Short() {
		want = min(want, 3)
	}
	for ; kills < want; dirs++ {
		p.makeRun(dirs)
		for kills < want && p.killed(time.Duration(rand.Int64N(int64(whole)))) {
			kills++
		}
		p.finish()
	}
	p.check(dirs)
	t.Logf("%d kills of a push that takes %v, %d run directories", kills, whole, dirs)
}

func testProgram(t *testing.T) string {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

type pusher struct {
	t         *testing.T
	url       string
	store, to string
	program   string // fdebug
}

func (p *pusher) command() *exec.Cmd {
	cmd := exec.Command(p.program, "push", "-o", p.store, "-reports", p.to)
	cmd.Env = append(os.Environ(), tracker.DBEnv+"="+p.url)
	return cmd
}

func (p *pusher) finish() {
	p.t.Helper()
	if out, err := p.command().CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
}

// killed kills a push after a time, and reports whether it was still running.
func (p *pusher) killed(after time.Duration) bool {
	cmd := p.command()
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	time.AfterFunc(after, func() { cmd.Process.Kill() })
	return cmd.Wait() != nil
}

// makeRun makes a run directory from the runs of the sample, with pages. Several have the same
// name except for their keys, like those of jobs that begin in the same second.
func (p *pusher) makeRun(n int) {
	p.t.Helper()
	sample := sampleRunDir(p.t)
	var lines []string
	var run map[string]any
	for line := range strings.Lines(string(sample.runs)) {
		var record struct {
			Kind string         `json:"kind"`
			Run  map[string]any `json:"run"`
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			p.t.Fatal(err)
		}
		if record.Kind != "run" {
			lines = append(lines, line)
		} else if run == nil {
			run = record.Run
		}
	}
	at := time.Date(2026, 11, 22, 12, n, 0, 0, time.UTC)
	var runs []string
	for i := range pushedRuns {
		run["n"], run["started"] = i+1, at.Add(time.Duration(i)*time.Microsecond)
		data, err := json.Marshal(map[string]any{"kind": "run", "run": run})
		if err != nil {
			p.t.Fatal(err)
		}
		runs = append(runs, string(data)+"\n")
	}
	end := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, `"kind":"end"`) })
	if end < 0 {
		end = len(lines)
	}
	lines = slices.Insert(lines, end, runs...)
	files := map[string]string{
		"runs.jsonl": strings.Join(lines, ""), "sites.json": string(sample.sites),
		"meta.json":  fmt.Sprintf(`{"key":"KEY%05d","command":["fdebug","run"]}`, n),
		"index.html": "index of " + fmt.Sprint(n), "result.json": "{}",
	}
	for i := range pushedPages {
		files[fmt.Sprintf("m.Test%d.html", i)] = strings.Repeat(fmt.Sprintf("%8d", i), pageSize/8)
	}
	dir := filepath.Join(p.store, "runs", fmt.Sprintf("20261122-120000-%d", n))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		p.t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			p.t.Fatal(err)
		}
	}
}

// check checks what is there after the given number of run directories.
func (p *pusher) check(dirs int) {
	p.t.Helper()
	ctx := context.Background()
	db, err := postgres.Open(ctx, p.url)
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	if size, err := db.Size(ctx); err != nil || size.Sessions != dirs || size.Runs != dirs*pushedRuns {
		p.t.Errorf("%+v, %v; want %d sessions with %d runs each", size, err, dirs, pushedRuns)
	}
	data, err := db.Data(ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, s := range data.Sessions {
		var n int
		if _, err := fmt.Sscanf(s.Key, "KEY%05d", &n); err != nil || !s.Complete {
			p.t.Errorf("session %+v", s)
		}
		p.checkReports(filepath.Join(p.to, filepath.FromSlash(s.Reports)), n)
	}
	if all, _ := filepath.Glob(filepath.Join(p.to, "*", "*", "*")); len(all) != dirs {
		p.t.Errorf("%d directories, want %d", len(all), dirs)
	}
}

func (p *pusher) checkReports(dir string, n int) {
	p.t.Helper()
	var there []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			there = append(there, d.Name())
			got, _ := os.ReadFile(path)
			want, err := os.ReadFile(filepath.Join(p.store, "runs", fmt.Sprintf("20261122-120000-%d", n), d.Name()))
			if err != nil || string(got) != string(want) {
				p.t.Errorf("%s differs: %v", path, err)
			}
		}
		return err
	})
	if err != nil || len(there) != pushedPages+2 {
		p.t.Errorf("run %d: %d files, %v; want %d", n, len(there), err, pushedPages+2)
	}
}
