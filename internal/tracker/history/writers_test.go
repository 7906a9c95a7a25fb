package history_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/history/postgres"
)

var kills = flag.Int("kills", 15, "how often a process is killed while it writes")

// TestMain is also the process that writes, for tests of several and of kills.
func TestMain(m *testing.M) {
	if where := os.Getenv("HISTORY_TEST_WRITER"); where != "" {
		from, _ := strconv.Atoi(os.Getenv("HISTORY_TEST_FROM"))
		if err := writeAll(where, from); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	theServer.Close()
	os.Exit(code)
}

// What a writer writes: sessions of batches of runs, with one failure in each. Batches begin
// a minute apart, sessions an hour.
const (
	writerSessions = 30
	writerBatches  = 4
	writerRuns     = 5 // a batch
)

// writeAll adds sessions as fdebug does: those that are complete are left alone. It
// prints each batch once that is committed.
func writeAll(where string, from int) error {
	ctx := context.Background()
	db, err := openAt(ctx, where)
	if err != nil {
		return err
	}
	defer db.Close()
	for i := from; i < from+writerSessions; i++ {
		s := job(fmt.Sprint("s", i), fmt.Sprint("c", i), i)
		if done, err := db.Complete(ctx, s.Key); err != nil {
			return err
		} else if done {
			continue
		}
		for b := range writerBatches {
			var runs []Run
			for r := range writerRuns {
				results := []string{"TestA", "TestB", fmt.Sprint("Test", i)}
				if r == 0 {
					results[0] = "fail:TestA"
				}
				run := runOf(fmt.Sprint(i, " ", b, " ", r), i, results...)
				run.Started = run.Started.Add(time.Duration(b)*time.Minute + time.Duration(r)*time.Second)
				runs = append(runs, run)
			}
			if _, err := db.Add(ctx, s, runs); err != nil {
				return err
			}
			fmt.Println(i, b)
		}
		if err := db.Conclude(ctx, s.Key, []Verdict{{Package: "example.com/m", Test: "TestA", Class: "proved"}}); err != nil {
			return err
		}
	}
	return nil
}

// openAt opens a history in a file or on a server.
func openAt(ctx context.Context, where string) (*DB, error) {
	if strings.HasPrefix(where, "postgres:") {
		return postgres.Open(ctx, where)
	}
	return Open(ctx, where)
}

// opened opens a history until the test ends.
func opened(t testing.TB, where string) *DB {
	t.Helper()
	db, err := openAt(context.Background(), where)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// everywhere runs a test in a file, and on a server if there is one.
func everywhere(t *testing.T, test func(t *testing.T, where string)) {
	t.Run("file", func(t *testing.T) { t.Parallel(); test(t, filepath.Join(t.TempDir(), Name)) })
	t.Run("PostgreSQL", func(t *testing.T) { t.Parallel(); test(t, database(t)) })
}

func writing(where string, from int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HISTORY_TEST_WRITER="+where, "HISTORY_TEST_FROM="+strconv.Itoa(from))
	cmd.Stderr = os.Stderr
	return cmd
}

// checkWritten compares what is there with what so many sessions wrote.
func checkWritten(t *testing.T, where string, sessions int) {
	t.Helper()
	db := opened(t, where)
	size, err := db.Size(context.Background())
	runs := sessions * writerBatches * writerRuns
	if err != nil || size.Sessions != sessions || size.Runs != runs || size.Failures != sessions*writerBatches {
		t.Errorf("%+v, %v; want %d sessions of %d runs with %d failures", size, err, sessions, runs, sessions*writerBatches)
	}
	tally := read(t, db, Filter{})
	if tally.Results != 3*runs || len(tally.Tests) != 1 || len(tally.Tests[0].Verdicts) != sessions {
		t.Errorf("%d results of %d runs, %d failing tests", tally.Results, tally.Runs, len(tally.Tests))
	}
	for _, s := range data(t, db).Sessions {
		if !s.Complete {
			t.Errorf("session %s is not complete", s.Key)
		}
	}
}

// Ten processes write at once: a third of their sessions are their own, the others two
// of them write.
func TestWriters(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	everywhere(t, testWriters)
}

func testWriters(t *testing.T, where string) {
	var wg sync.WaitGroup
	for i := range 10 {
		cmd := writing(where, i*writerSessions/2)
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	checkWritten(t, where, 9*writerSessions/2+writerSessions)
}

// A process is killed while it writes, again and again: what it said to be written is
// there, each once, and in the end all is.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	everywhere(t, testKilled)
}

func testKilled(t *testing.T, where string) {
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	said := make(map[string]bool)
	midway, want := 0, *kills
	if testing.Short() {
		want = min(want, 5)
	}
	for from := 0; midway < want; from += writerSessions {
		for done := false; !done && midway < want; {
			done = writeAndKill(t, where, from, r.IntN(writerBatches*writerSessions/3), said)
			if !done {
				midway++
				checkSaid(t, where, said)
			}
		}
		cmd := writing(where, from)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if midway >= want {
			checkWritten(t, where, from+writerSessions)
		}
	}
	t.Logf("%d kills", midway)
}

// writeAndKill kills a writer some moment after it has said to have written so many
// batches, and reports whether it was too late for that.
func writeAndKill(t *testing.T, where string, from, after int, said map[string]bool) (done bool) {
	t.Helper()
	cmd := writing(where, from)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewScanner(out)
	n := 0
	for in.Scan() {
		said[in.Text()] = true
		if n++; n == after+1 {
			delay := time.Duration(rand.IntN(3000)) * time.Microsecond
			time.AfterFunc(delay, func() { cmd.Process.Kill() })
		}
	}
	return cmd.Wait() == nil
}

// checkSaid looks for the batches that were said to be written.
func checkSaid(t *testing.T, where string, said map[string]bool) {
	t.Helper()
	there := make(map[string]int)
	for _, run := range data(t, opened(t, where)).Runs {
		since := time.UnixMilli(run.Started).Sub(noon)
		there[fmt.Sprint(int(since.Hours()), " ", int(since.Minutes())%60)]++
	}
	for batch, n := range there {
		if n != writerRuns {
			t.Errorf("batch %s has %d runs, want %d", batch, n, writerRuns)
		}
	}
	for batch := range said {
		if there[batch] == 0 {
			t.Errorf("batch %s was written, and is not there", batch)
		}
	}
}
