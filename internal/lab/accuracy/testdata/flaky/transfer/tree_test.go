package transfer

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

func documents(prefix string, n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%s-%02d.txt", prefix, i))
	}
	return list
}

func TestTwoUsersTidyUp(t *testing.T) {
	drafts, letters := documents("draft", 4), documents("letter", 4)
	inbox, archive := NewFolder("inbox", drafts...), NewFolder("archive", letters...)

	var wg sync.WaitGroup
	move := func(docs []string, from, to *Folder) {
		defer wg.Done()
		for _, d := range docs {
			if err := from.Move(d, to); err != nil {
				t.Error(err)
			}
		}
	}
	wg.Add(2)
	go move(drafts, inbox, archive)
	go move(letters, archive, inbox)
	wg.Wait()

	if a, b := inbox.Len(), archive.Len(); a != 4 || b != 4 {
		t.Errorf("the folders hold %d and %d documents, want 4 and 4", a, b)
	}
}

func TestMoveUnknown(t *testing.T) {
	a, b := NewFolder("a"), NewFolder("b")
	if err := a.Move("x", b); !errors.Is(err, ErrNotFound) {
		t.Errorf("Move: %v, want %v", err, ErrNotFound)
	}
}

func TestMoveToItself(t *testing.T) {
	a := NewFolder("a", "x")
	if err := a.Move("x", a); err != nil || a.Len() != 1 {
		t.Errorf("Move: %v, %d documents", err, a.Len())
	}
}
