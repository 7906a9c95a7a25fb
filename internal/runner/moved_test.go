package runner

import (
	"strings"
	"testing"
)

// TestMovedWriter cuts a text into two writes at each place.
func TestMovedWriter(t *testing.T) {
	const text, want = "at //farm/farm/src/a.go and /far, /fa/farm", "at //go/go/src/a.go and /far, /fa/go"
	for i := range len(text) + 1 {
		var got strings.Builder
		w := newMovedWriter(&got, Moved{From: "/farm", To: "/go"})
		for _, part := range []string{text[:i], text[i:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("Write: %d, %v", n, err)
			}
		}
		w.Flush()
		if got.String() != want {
			t.Errorf("cut at %d: got %q, want %q", i, got.String(), want)
		}
	}
}
