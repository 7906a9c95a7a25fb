package clockbucket

import (
	"crypto/sha256"
	"errors"
	"slices"
	"testing"
	"time"
)

// receive is what it takes to read a file of the given size.
func receive(size int) [32]byte {
	return sha256.Sum256(make([]byte, size))
}

func TestRecentUploads(t *testing.T) {
	a := NewArchive(60 * time.Millisecond)
	for _, name := range []string{"b.png", "a.png", "c.png"} {
		receive(2_000_000)
		a.Put(name, 2_000_000)
	}
	if got, want := a.Recent(), []string{"a.png", "b.png", "c.png"}; !slices.Equal(got, want) {
		t.Errorf("recent uploads are %q, want %q", got, want)
	}
}

func TestFind(t *testing.T) {
	a := NewArchive(time.Hour)
	p := a.Put("my file/1.txt", 10)
	u, err := a.Find(p)
	if err != nil {
		t.Fatal(err)
	}
	if u.Name != "my file/1.txt" || u.Size != 10 {
		t.Errorf("found %+v", u)
	}
	if _, err := a.Find("up/0/x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("Find: %v, want %v", err, ErrNotFound)
	}
}
