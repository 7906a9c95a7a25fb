package history

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/lab/alloc"
)

// summed gives each line its checksum.
func summed(sum uint32, lines []byte) (out []byte) {
	for line := range bytes.Lines(lines) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		sum = sumOf(sum, line)
		out = fmt.Appendf(out, "%08x %s\n", sum, line)
	}
	return out
}

// Whatever is in a file is a history or damage. What was read is tallied, added to, and
// written anew it is the same.
func FuzzLog(f *testing.F) {
	f.Add([]byte(`{"Tests":{"1":{"Package":"m","Name":""},"2":{"Package":"m","Name":"TestX","Slowest":5,"Notes":{"k":{"Value":"v","Noted":1}}},"3":{"Package":"m","Name":"TestX/a"}},` +
		`"Signatures":{"4":{"Test":3,"Text":"no","Message":"NO"}},"Sets":{"5":"BAQ="},` +
		`"Sessions":{"6":{"Key":"s","Source":"import","Started":"2026-11-22T12:00:00Z","Complete":true,"Verdicts":[{"Package":"m","Test":"TestX","Class":"proved","Failed":20,"Of":20}]}},` +
		`"Runs":{"7":{"K":"AAAAAAAAAAAAAAAA","S":6,"T":1000,"P":5,"Kind":"plain","Unfinished":true}}}` + "\n" +
		`{"Runs":{"7":{"K":"AAAAAAAAAAAAAAAA","S":6,"T":1000,"P":5,"Kind":"plain","F":[{"S":4,"Status":"crash"}]},"8":{"S":9,"F":[{"S":9}]},"9":{"S":6,"F":[{"S":9}]}}}`))
	f.Fuzz(func(t *testing.T, lines []byte) {
		var s Copy
		s.begin("x")
		var err error
		alloc.Check(t, len(lines), 32<<20, func() { err = s.read(summed(s.sum, lines)) })
		if err != nil {
			if !IsDamaged(err) {
				t.Errorf("got %v", err)
			}
			return
		}
		if _, err := s.Tally(Filter{}); err != nil && !IsDamaged(err) {
			t.Errorf("tallied: %v", err)
		}
		b := newBatch(&s)
		run := Run{Key: "new", Package: "m", Results: []Result{{Test: "TestX", Status: Failed}}}
		b.run(b.session(Session{Key: "s"}), run.stored())
		expectSame(t, s.since(time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC)))
	})
}

// expectSame writes rows and reads them.
func expectSame(t *testing.T, rows *Data) {
	line, sum, err := rows.line(7)
	if err != nil {
		t.Fatal(err)
	}
	var again Data
	got, err := again.readLine(bytes.TrimSuffix(line, []byte("\n")), 7)
	if err != nil || got != sum {
		t.Fatalf("sum %x after %x, %v", got, sum, err)
	}
	second, _, err := again.line(7)
	if diff := cmp.Diff(string(line), string(second)); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}
