package journal

import (
	"path/filepath"
	"testing"
	"time"
)

// login takes as long as it takes to ask the directory.
func login(j *Journal, user string) error {
	time.Sleep(2 * time.Millisecond)
	return j.Record(user, "login")
}

func TestEntriesAreOnDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	j, err := Open(path, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, user := range []string{"ada", "bob", "eve"} {
		if err := login(j, user); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(4 * time.Millisecond)

	entries, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 3 || entries[1].Actor != "bob" {
		t.Errorf("entries = %v, want those of ada, bob and eve", entries)
	}
}

func TestCloseWritesTheRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	j, err := Open(path, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	j.Record("ada", "logout")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := Read(path); err != nil || len(entries) != 1 {
		t.Errorf("entries = %v, %v, want one", entries, err)
	}
}
