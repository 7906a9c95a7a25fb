package freedom_test

import (
	"testing"

	"github.com/fdebug/fdebug/internal/freedom"
)

// TestRecorded names what decides in recorded runs, each of a freedom.
func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		file    string
		kind    string
		measure freedom.Measure
		place   string
		line    int
	}{
		{"../lab/accuracy/testdata/recorded/feed.tar.zst", "order", freedom.Sequence, "feed.go", 44},
		{"../lab/accuracy/testdata/recorded/deadline.tar.zst", "stall", freedom.Waits, "search.go", 53},
	} {
		r := open(t, c.file)[0]
		facts, err := freedom.Rank(r)
		if err != nil {
			t.Fatal(err)
		}
		if len(facts) == 0 || !facts[0].Stands() {
			t.Errorf("%s: nothing", c.file)
			continue
		}
		s := facts[0].What.(*freedom.Seen)
		place, line := s.At[0].File, s.At[0].Start
		if facts[0].Kind != c.kind || s.Measure != c.measure || place != c.place || line != c.line {
			t.Errorf("%s: got %s %s %s:%d, want %+v", c.file, facts[0].Kind, s.Measure, place, line, c)
		}
	}
}

// TestLegal says of each freedom why it is legal.
func TestLegal(t *testing.T) {
	for _, f := range freedom.All() {
		if f.Name == "" || f.Legal == "" || f.Source == "" {
			t.Errorf("%+v does not say what it is", f)
		}
	}
}
