package history_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	. "github.com/fdebug/fdebug/internal/tracker/history"
)

func emptyFile(t testing.TB) string { return filepath.Join(t.TempDir(), Name) }

// written is a history of two runs. One failed.
func written(t *testing.T) (file string) {
	t.Helper()
	file = emptyFile(t)
	db := opened(t, file)
	add(t, db, job("s", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	add(t, db, job("s", "c1", 0), 1, runOf("b", 1, "TestX"))
	return file
}

func contentOf(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A history of a newer fdebug is left alone.
func TestNewer(t *testing.T) {
	file := written(t)
	newer := strings.Replace(contentOf(t, file), " 1 ", " 99 a newer way to say ", 1)
	write(t, file, newer)
	type opener func(context.Context, string) (*DB, error)
	for name, open := range map[string]opener{"written to": Open, "read": OpenReadOnly} {
		if _, err := open(context.Background(), file); !IsNewer(err) || IsDamaged(err) || !strings.Contains(err.Error(), "version 99") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if contentOf(t, file) != newer {
		t.Error("the file was changed")
	}
}

// A damaged file is told as such, wherever it is damaged, and can be set aside.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(string) string{
		"other text":      func(string) string { return "this is no history\n" },
		"no name":         func(s string) string { return strings.Replace(s, "history 1 ", "history 1\n", 1) },
		"cut in a header": func(s string) string { return s[:20] },
		"line":            func(s string) string { return strings.Replace(s, "TestX", "TestY", 1) },
		"last line": func(s string) string {
			last := strings.LastIndex(s, "Kind")
			return s[:last] + "kind" + s[last+4:]
		},
		"sum":   func(s string) string { return strings.Replace(s, "\n", "\n0", 1) },
		"zeros": func(s string) string { return s[:60] + strings.Repeat("\x00", 100) + s[160:] },
		"line missing": func(s string) string {
			lines := strings.SplitAfterN(s, "\n", 3)
			return lines[0] + lines[2]
		},
	} {
		t.Run(name, func(t *testing.T) {
			file := written(t)
			write(t, file, damage(contentOf(t, file)))
			ctx := context.Background()
			if _, err := OpenReadOnly(ctx, file); !IsDamaged(err) {
				t.Errorf("read only: got %v", err)
			}
			_, err := Open(ctx, file)
			if !IsDamaged(err) || IsNewer(err) || strings.Count(err.Error(), file) != 1 {
				t.Fatalf("got %v", err)
			}
			aside, moved := SetAside(file, noon)
			if moved != nil || aside != file+".damaged-20261122-120000" {
				t.Fatal(aside, moved)
			}
			if again, moved := SetAside(file, noon); !errors.Is(moved, fs.ErrNotExist) || again == aside {
				t.Errorf("set aside twice: %q, %v", again, moved)
			}
			expect(t, read(t, opened(t, file), Filter{}))
		})
	}
}

// What a killed process has left is not read, and goes with the next write.
func TestTorn(t *testing.T) {
	whole := contentOf(t, written(t))
	last := strings.LastIndex(whole[:len(whole)-1], "\n") + 1
	for name, torn := range map[string]string{
		"begun": whole[:last+1], "half": whole[:(last+len(whole))/2], "all except its end": whole[:len(whole)-1],
		"zeros": whole[:last] + strings.Repeat("\x00", 50), "zeros in it": whole[:last+20] + "\x00\x00" + whole[last+22:],
	} {
		t.Run(name, func(t *testing.T) {
			file := emptyFile(t)
			write(t, file, torn)
			ro, err := OpenReadOnly(context.Background(), file)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, read(t, ro, Filter{}), "TestX: 0:1/1")
			if contentOf(t, file) != torn {
				t.Error("reading has changed it")
			}
			db := opened(t, file)
			add(t, db, job("s", "c1", 0), 1, runOf("b", 1, "TestX"))
			for _, db := range []*DB{db, ro} {
				expect(t, read(t, db, Filter{}), "TestX: 0:1/1 0:0/1")
			}
			if got := contentOf(t, file); got != whole {
				t.Errorf("got\n%s\nwant\n%s", got, whole)
			}
		})
	}
}

// A file that can't be written to can be read; what reads makes and changes nothing.
func TestReadOnly(t *testing.T) {
	ctx := context.Background()
	file := emptyFile(t)
	if _, err := OpenReadOnly(ctx, file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is none: %v", err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) != 0 {
		t.Errorf("%v", entries)
	}
	file = written(t)
	before := contentOf(t, file)
	ro, err := OpenReadOnly(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, read(t, ro, Filter{}), "TestX: 0:1/1 0:0/1")
	_, adding := ro.Add(ctx, job("t", "c1", 0), nil)
	_, pruning := ro.Prune(ctx, noon)
	for _, err := range []error{adding, pruning, ro.Conclude(ctx, "s", nil)} {
		if err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("written to: %v", err)
		}
	}
	if contentOf(t, file) != before {
		t.Error("the file was changed")
	}
}

// A process that is about to write gives up when it is told to.
func TestInterrupted(t *testing.T) {
	file := written(t)
	db := opened(t, file)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := db.Add(ctx, job("t", "c1", 0), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A process that waits for another one gives up when it is told to, and is in nobody's way
// afterwards.
func TestLocked(t *testing.T) {
	file := written(t)
	db := opened(t, file)
	unlock, err := lockedfile.MutexAt(file + ".lock").Lock()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := db.Add(ctx, job("t", "c1", 0), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	unlock()
	add(t, db, job("t", "c1", 0), 1, runOf("c", 1, "TestX"))
}

// A history that somebody has removed, or written anew, is another one: whoever has it
// open goes on with that.
func TestReplaced(t *testing.T) {
	file := written(t)
	db := opened(t, file)
	add(t, db, job("s", "c1", 0), 0, runOf("a", 0, "fail:TestX"))
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	add(t, db, job("s", "c1", 0), 1, runOf("a", 0, "fail:TestX"))
	expect(t, read(t, db, Filter{}), "TestX: 0:1/1")
	write(t, file, contentOf(t, written(t)))
	expect(t, read(t, db, Filter{}), "TestX: 0:1/1 0:0/1")
}

// What is written twice takes no room.
func TestNoNews(t *testing.T) {
	file := written(t)
	db := opened(t, file)
	before := contentOf(t, file)
	add(t, db, job("s", "c1", 0), 0, runOf("a", 0, "fail:TestX"), runOf("b", 1, "TestX"))
	if after := contentOf(t, file); after != before {
		t.Errorf("added: %s", strings.TrimPrefix(after, before))
	}
}
