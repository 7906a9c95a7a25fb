package experiment

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func openLog(t *testing.T, name string, h Header) (*Log, Header) {
	t.Helper()
	l, got, err := OpenLog(name, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.file.Close() })
	return l, got
}

func known(l *Log, key string) *Outcome {
	o, _ := l.outcome(key)
	return o
}

// A process that was killed while it wrote leaves all runs before that one.
func TestLogCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l, _ := openLog(t, name, Header{Build: "b", Seed: 5})
	for _, key := range []string{"one", "two", "three"} {
		if err := l.addOutcome(key, LogLine{Outcome: &Outcome{Ran: true, Message: key}}); err != nil {
			t.Fatal(err)
		}
	}
	l.file.Close()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, info.Size()-10); err != nil {
		t.Fatal(err)
	}
	l, h := openLog(t, name, Header{Build: "b", Seed: 6})
	if h.Seed != 5 || l.Len() != 2 || known(l, "two") == nil || known(l, "three") != nil {
		t.Errorf("seed %d, %d runs", h.Seed, l.Len())
	}
	if err := l.addOutcome("four", LogLine{Outcome: &Outcome{Message: "four"}}); err != nil {
		t.Fatal(err)
	}
	l.file.Close()
	if l, _ = openLog(t, name, Header{Build: "b"}); l.Len() != 3 || known(l, "four").Message != "four" {
		t.Errorf("%d runs after going on", l.Len())
	}
}

// What is of another build, or no log, is begun anew.
func TestLogOther(t *testing.T) {
	for _, c := range []struct{ name, content string }{
		{"another build", `{"fdebug_experiments":1,"build":"other","seed":3}` + "\n" + `{"key":"k","outcome":{"Ran":true}}` + "\n"},
		{"another version", `{"fdebug_experiments":99,"build":"b","seed":3}` + "\n"},
		{"no log", "hello\n"}, {"empty", ""}, {"half a header", `{"fdebug_exp`}, {"another JSON", "{}\n"},
	} {
		name := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(name, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		if l, h := openLog(t, name, Header{Build: "b", Seed: 8}); h.Seed != 8 || l.Len() != 0 {
			t.Errorf("%s: seed %d, %d runs", c.name, h.Seed, l.Len())
		}
	}
	if _, _, err := OpenLog(filepath.Join(t.TempDir(), "no", "log"), Header{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}
