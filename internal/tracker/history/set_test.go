package history

import (
	"errors"
	"fmt"
	"testing"
)

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
		if err := eachCount(b, func(count) { n++ }); err != nil && !errors.Is(err, errSet) {
			t.Errorf("got %v", err)
		}
		if n > len(b) {
			t.Errorf("%d counts of %d bytes", n, len(b))
		}
	})
}
