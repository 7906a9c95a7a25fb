package suspect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// The read is in a library that the test calls, the write in the test itself.
const raceReport = `WARNING: DATA RACE
Read at 0x00c000018f7f by goroutine 8:
  strings.(*Builder).Len()
      /usr/local/go/src/strings/builder.go:60 +0x47e
  example.com/m/p.size()
      /m/p/p.go:31 +0x47e
  example.com/m/p.TestX()
      /m/p/p_test.go:12 +0x47e

Previous write at 0x00c000018f7f by goroutine 10:
  example.com/m/p.TestX.func1()
      /m/p/p_test.go:9 +0x4e

Goroutine 8 (running) created at:
  example.com/m/p.TestMain()
      /m/p/p_test.go:3 +0xb12
`

func TestRaces(t *testing.T) {
	sites := &trace.Sites{Root: "/m", Files: []trace.File{{Path: "p/p.go"}, {Path: "p/p_test.go"}}}
	var got []string
	for _, s := range Races(raceReport, sites) {
		got = append(got, fmt.Sprintf("%s:%d-%d %.2f %s", s.File, s.Start, s.End, s.Score, s.Why))
	}
	want := []string{
		"p/p.go:31-31 0.99 a data race: nothing orders this read and the write at p_test.go:9, of the same memory on another goroutine",
		"p/p_test.go:9-9 0.98 a data race: nothing orders this write and the read at p.go:31, of the same memory on another goroutine",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, message := range map[string]string{
		"no race":     "p_test.go:12: got 1",
		"one side":    raceReport[:strings.Index(raceReport, "Previous")],
		"not ours":    strings.ReplaceAll(raceReport, "/m/p", "/other"),
		"end of text": "WARNING: DATA RACE\nRead at 0x",
	} {
		if got := Races(message, sites); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	same := strings.ReplaceAll(raceReport, "p_test.go:9", "p.go:31")
	same = strings.ReplaceAll(same, "p_test.go", "p.go")
	if got := Races(same, sites); len(got) != 1 {
		t.Errorf("both sides in one line: %v, want it once", got)
	}
}
