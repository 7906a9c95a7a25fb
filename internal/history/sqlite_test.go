package history

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A database of a newer fdebug is left alone.
func TestNewer(t *testing.T) {
	file := filepath.Join(t.TempDir(), Name)
	db, err := Open(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.(*sqlDB).db.Exec("PRAGMA user_version = 99"); err != nil {
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

// Who only reads leaves an older file as it is.
func TestOlder(t *testing.T) {
	file := filepath.Join(t.TempDir(), Name)
	old, err := sql.Open("sqlite", dsn(file, "rwc"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Exec(migrations[0] + "; PRAGMA user_version = 1"); err != nil {
		t.Fatal(err)
	}
	old.Close()
	before, _ := os.ReadFile(file)
	for name, open := range map[string]func(context.Context, string) (DB, error){"live": OpenLive, "read only": OpenReadOnly} {
		var older *OlderError
		if _, err := open(context.Background(), file); !errors.As(err, &older) || older.Version != 1 || IsNewer(err) || IsDamaged(err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("the file was changed")
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
