package report

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestRacesReported has races that runs with the race detector have shown.
func TestRacesReported(t *testing.T) {
	for _, c := range []struct {
		name string
		race finding.Race
		want string
	}{
		{"of a goroutine", finding.Race{Seen: 20, Of: 20, Accesses: [2]finding.Access{
			{Kind: finding.Read, At: trace.Frame{File: "/home/gopher/m/queue/queue_test.go", Line: 14}},
			{Kind: finding.Write, At: trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: 21}, Started: trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: 19}},
		}}, "In 20 of 20 runs with the race detector a data race was reported: nothing orders the read at "},
		{"lost", finding.Race{Seen: 1, Of: 7, Accesses: [2]finding.Access{
			{Kind: finding.Read, At: trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: 19}, Lost: true},
			{Kind: finding.Write, At: trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: 21}},
		}}, "In 1 of 7 runs with the race detector a data race was reported: nothing orders a read by the goroutine started at queue/queue.go:19 and the write at "},
		{"that a failure is", finding.Race{}, ""},
	} {
		f := newFixture(t)
		test := f.queue()
		test.Races = []finding.Race{c.race}
		v := newViewer(f.result(test))
		v.t = test
		var got []string
		for _, p := range v.races() {
			got = append(got, p.Plain())
		}
		if text := strings.Join(got, "\n"); !strings.HasPrefix(text, c.want) || (c.want == "") != (text == "") {
			t.Errorf("%s: %s", c.name, text)
		} else if c.name == "of a goroutine" && !strings.HasSuffix(text, "(queue/queue.go:21), by a goroutine started at queue/queue.go:19.") {
			t.Errorf("%s: %s", c.name, text)
		}
	}
}
