package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/fleet/shard"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
)

// The file of one shard is not replaced by another's: not by a second command, nor by one that
// began before the first was done.
func TestBlobTaken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.fdshard")
	first, second := Shard{Session: new(session.Session), Blob: file, Part: shard.Part{I: 1, Of: 2}}, Shard{Session: new(session.Session), Blob: file, Part: shard.Part{I: 2, Of: 2}}
	if err := second.checkBlob(); err != nil {
		t.Fatalf("there is none yet: %v", err)
	}
	h := &shard.Header{Part: first.Part, Attempt: 1, Key: "k", Command: []string{"fdebug"}, N: 1}
	dir := t.TempDir()
	for _, name := range []string{"meta.json", "sites.json", "runs.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := shard.Write(file, h, dir, &runner.Results{}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := first.checkBlob(); err != nil {
		t.Errorf("the same shard again: %v", err)
	}
	if err := second.checkBlob(); err == nil || !strings.Contains(err.Error(), "is that of shard 1/2") {
		t.Errorf("another shard: %v", err)
	}
	mine := &shard.Header{Part: second.Part, Attempt: 1}
	if got := first.blobName(mine); got != file {
		t.Errorf("the same shard: %s", got)
	}
	if got, want := second.blobName(mine), filepath.Join(filepath.Dir(file), mine.FileName()); got != want {
		t.Errorf("written meanwhile: %s, want %s", got, want)
	}
}
