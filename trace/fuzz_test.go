package trace

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/alloc"
)

// To fuzz, pass -fuzzminimizetime 20x. Traces are large inputs: minimizing each interesting one
// for the default minute leaves no time for anything else.

// bounded fails the test if f allocates out of proportion to an input of n bytes.
func bounded(t *testing.T, n int, f func()) {
	t.Helper()
	alloc.Check(t, n, 32<<20+uint64(n)*1000, f)
}

func FuzzReadRaw(f *testing.F) {
	b, _, _ := sampleRaw()
	f.Add(b)
	f.Add(b[:len(b)-100])
	w := newRawWriter()
	w.flags = rawBudget
	w.budgeted(w.goroutine(1, 0, 0, 0, 0, 0, 0), loop(3*64*64, 1), 1)
	f.Add(w.bytes())
	f.Add(newRawWriter().bytes())
	v := newRawWriter()
	g := v.goroutine(1, 0, 0, 0, 0, 0, 0)
	v.stream(g, loop(10, 1))
	v.record(rawValues, g, 0, 0, 7, valueRecord(valueSlot(2, 70, 0, 0, "a")))
	f.Add(v.bytes())
	f.Add(sampleWaits())
	f.Add(sampleActs())
	f.Fuzz(func(t *testing.T, b []byte) {
		bounded(t, len(b), func() { walkRaw(t, b) })
	})
}

func FuzzOpen(f *testing.F) {
	f.Add(written(f, smallTrace()), true)
	f.Add(written(f, &Trace{Truncated: "disk full"}), false)
	raw, _, _ := sampleRaw()
	f.Add(raw, false)
	f.Add(sampleWaits(), false)
	f.Add(sampleActs(), false)
	if acts, err := parseKept(sampleActs()); err == nil {
		f.Add(written(f, acts), true)
	}
	if waits, err := parseKept(sampleWaits()); err == nil {
		f.Add(written(f, waits), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal {
			b = resealed(bytes.Clone(b)) // otherwise hardly any input would pass
		}
		bounded(t, len(b), func() {
			tr, err := parseKept(b)
			if err != nil || !loads(t, tr) {
				return
			}
			again, err := parseKept(written(t, tr))
			if err != nil {
				t.Fatalf("written again: %v", err)
			}
			sameTrace(t, again, tr)
		})
	})
}

func FuzzReadSites(f *testing.F) {
	b, err := json.Marshal(sampleSites())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"fdebug_sites":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		bounded(t, len(b), func() { useSites(b) })
	})
}
