package history

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var kills = flag.Int("kills", 15, "how often a process is killed while it writes")

// TestMain is also the process that writes, for tests of several and of kills.
func TestMain(m *testing.M) {
	if file := os.Getenv("HISTORY_TEST_WRITER"); file != "" {
		from, _ := strconv.Atoi(os.Getenv("HISTORY_TEST_FROM"))
		if err := writeAll(file, from); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// What a writer writes: sessions of batches of runs, one of which fails in each.
const (
	writerSessions = 30
	writerBatches  = 4
	writerRuns     = 5 // a batch
)

// writeAll adds sessions as fdebug does: those that are complete are left alone. It
// prints each batch once that is committed.
func writeAll(file string, from int) error {
	ctx := context.Background()
	db, err := Open(ctx, file)
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
				runs = append(runs, runOf(fmt.Sprint(i, " ", b, " ", r), i, results...))
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

func writing(file string, from int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HISTORY_TEST_WRITER="+file, "HISTORY_TEST_FROM="+strconv.Itoa(from))
	cmd.Stderr = os.Stderr
	return cmd
}

// checkWritten compares what is there with what so many sessions wrote.
func checkWritten(t *testing.T, file string, sessions int) {
	t.Helper()
	db, err := Open(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	size, err := db.Size(context.Background())
	runs := sessions * writerBatches * writerRuns
	if err != nil || size.Sessions != sessions || size.Runs != runs || size.Failures != sessions*writerBatches {
		t.Errorf("%+v, %v; want %d sessions of %d runs with %d failures", size, err, sessions, runs, sessions*writerBatches)
	}
	tally := read(t, db, Filter{})
	if tally.Results != 3*runs || len(tally.Tests) != 1 || len(tally.Tests[0].Verdicts) != sessions {
		t.Errorf("%d results of %d runs, %d failing tests", tally.Results, tally.Runs, len(tally.Tests))
	}
	list, _ := db.Sessions(context.Background())
	for _, s := range list {
		if !s.Complete {
			t.Errorf("session %s is not complete", s.Key)
		}
	}
}

// Ten processes write at once: a third of their sessions are their own, the others two
// of them write.
func TestWriters(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), Name)
	var wg sync.WaitGroup
	for i := range 10 {
		cmd := writing(file, i*writerSessions/2)
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	checkWritten(t, file, 9*writerSessions/2+writerSessions)
}

// A process is killed while it writes, again and again: what it said to be written is
// there, each once, and in the end all is.
func TestKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), Name)
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	said := make(map[string]bool)
	midway := 0
	for from := 0; midway < *kills; from += writerSessions {
		for done := false; !done && midway < *kills; {
			done = writeAndKill(t, file, from, r.IntN(writerBatches*writerSessions/3), said)
			if !done {
				midway++
				checkSaid(t, file, said)
			}
		}
		cmd := writing(file, from)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if midway >= *kills {
			checkWritten(t, file, from+writerSessions)
		}
	}
	t.Logf("%d kills", midway)
}

// writeAndKill kills a writer some moment after it has said to have written so many
// batches, and reports whether it was too late for that.
func writeAndKill(t *testing.T, file string, from, after int, said map[string]bool) (done bool) {
	t.Helper()
	cmd := writing(file, from)
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
func checkSaid(t *testing.T, file string, said map[string]bool) {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(file, "rwc"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	there := make(map[string]int)
	rows, err := db.Query("SELECT key FROM runs")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			t.Fatal(err)
		}
		there[key[:strings.LastIndexByte(key, ' ')]]++
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

// A database of a newer fdebug is left alone.
func TestNewer(t *testing.T) {
	file := filepath.Join(t.TempDir(), Name)
	db, err := Open(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.(*sqliteDB).db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	before, _ := os.ReadFile(file)
	_, err = Open(context.Background(), file)
	if !IsNewer(err) || IsDamaged(err) || !strings.Contains(err.Error(), "version is 99") && !strings.Contains(err.Error(), "version 99") {
		t.Errorf("got %v", err)
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

// Each version is brought up to date by the steps that follow it, with what it holds.
func TestMigrate(t *testing.T) {
	for version := range len(migrations) {
		file := filepath.Join(t.TempDir(), Name)
		old, err := sql.Open("sqlite", dsn(file, "rwc"))
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range migrations[:version] {
			if _, err := old.Exec(step); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := old.Exec(fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
			t.Fatal(err)
		}
		old.Close()
		var wg sync.WaitGroup
		for range 4 { // all at once
			wg.Go(func() {
				db, err := Open(context.Background(), file)
				if err != nil {
					t.Errorf("from version %d: %v", version, err)
					return
				}
				db.Close()
			})
		}
		wg.Wait()
	}
}

// A damaged file is told as such, wherever it is damaged, and can be set aside.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"text":      func(b []byte) []byte { return []byte("this is no database\n") },
		"header":    func(b []byte) []byte { copy(b, "X"); return b },
		"all pages": func(b []byte) []byte { clear(b[100:]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), Name)
			db, err := Open(context.Background(), file)
			if err != nil {
				t.Fatal(err)
			}
			add(t, db, job("s", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
			db.Close()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, damage(data), 0o666); err != nil {
				t.Fatal(err)
			}
			err = openAndRead(file)
			if !IsDamaged(err) {
				t.Errorf("got %v", err)
			}
			aside, err := SetAside(file, noon)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := SetAside(file, noon); !errors.Is(err, fs.ErrNotExist) || again == aside {
				t.Errorf("set aside twice: %q, %v", again, err)
			}
			if err := openAndRead(file); err != nil {
				t.Errorf("a new one: %v", err)
			}
		})
	}
}

func openAndRead(file string) error {
	db, err := Open(context.Background(), file)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = Read(context.Background(), db, Filter{})
	return err
}

// A file that can't be written to can be read.
func TestReadOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), Name)
	if _, err := OpenReadOnly(context.Background(), file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is none: %v", err)
	}
	db, err := Open(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	add(t, db, job("s", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	db.Close()
	ro, err := OpenReadOnly(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	expect(t, read(t, ro, Filter{}), "TestX: 0:1/1")
	if _, err := ro.Add(context.Background(), job("t", "c1", 0), nil); err == nil {
		t.Error("it was written to")
	}
}

// A set of tests is read back as it was, whatever the counts.
func TestSet(t *testing.T) {
	counts := []count{{3, 1, 0}, {4, 0, 1}, {1000, 7, 2}, {1 << 40, 1, 0}}
	var got []count
	if err := eachCount(encodeSet(append([]count{}, counts[2], counts[0], counts[3], counts[1])), func(c count) { got = append(got, c) }); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(counts) {
		t.Errorf("got %v, want %v", got, counts)
	}
}

func FuzzSet(f *testing.F) {
	f.Add(encodeSet([]count{{3, 1, 0}, {4, 0, 1}, {1000, 7, 2}}))
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		if err := eachCount(b, func(count) { n++ }); err != nil && !IsDamaged(err) {
			t.Errorf("got %v", err)
		}
		if n > len(b) {
			t.Errorf("%d counts of %d bytes", n, len(b))
		}
	})
}
