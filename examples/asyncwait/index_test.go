package asyncwait

import (
	"errors"
	"slices"
	"testing"
	"time"

	"example.com/examples/internal/latency"
)

// slowDisk takes its time, as disks do.
type slowDisk struct{}

func (slowDisk) WriteSegment(int, []string) error {
	latency.Wait(1*time.Millisecond, 9*time.Millisecond)
	return nil
}

type fullDisk struct{}

func (fullDisk) WriteSegment(int, []string) error { return errors.New("no space left") }

func TestSearchFindsAddedDocs(t *testing.T) {
	x := New(slowDisk{})
	defer x.Close()

	x.Add(Doc{1, "The quick brown fox"})
	x.Add(Doc{2, "A fox in the snow"})
	time.Sleep(12 * time.Millisecond)

	if got, want := x.Search("fox"), []int{1, 2}; !slices.Equal(got, want) {
		t.Errorf("Search(fox) = %v, want %v", got, want)
	}
}

func TestFailedDocs(t *testing.T) {
	x := New(fullDisk{})
	x.Add(Doc{7, "lost"})
	x.Close()

	if got, want := x.Failed(), []int{7}; !slices.Equal(got, want) {
		t.Errorf("Failed() = %v, want %v", got, want)
	}
}

func TestSplit(t *testing.T) {
	got := split("To be, or not to be")
	if want := []string{"be", "not", "or", "to"}; !slices.Equal(got, want) {
		t.Errorf("split = %q, want %q", got, want)
	}
}
