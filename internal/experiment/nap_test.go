package experiment

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// napSource is a file whose 12th line is code; in the others things are done that others see.
func napSource(code string) func(string) ([]byte, error) {
	return func(string) ([]byte, error) {
		return []byte("package m\n\nfunc f() {\n" + strings.Repeat("mu.Lock()\n", 8) + code + "\n" + strings.Repeat("mu.Lock()\n", 12) + "}\n"), nil
	}
}

// For how long somebody sleeps is known by the calls of the line at which it is drawn.
func TestNaps(t *testing.T) {
	for code, want := range map[string]bool{
		"time.Sleep(rand.N(4 * time.Millisecond))":                                                true,
		"time.Sleep(time.Duration(rand.IntN(6)) * time.Millisecond)":                              true,
		"time.Sleep(rand.N[time.Duration](9))":                                                    true,
		"<-time.After(jitter + time.Duration(r.Int63n(int64(jitter))))":                           true,
		"t := time.NewTimer(time.Duration(rnd.Float64() * float64(time.Second)))":                 true,
		"time.Sleep(time.Second)":                                                                 false,
		"n := rand.IntN(6)":                                                                       false,
		"n := rand.IntN(6); time.Sleep(rand.N(4 * time.Millisecond))":                             false,
		"time.Sleep(time.Second); n := rand.IntN(6)":                                              false,
		"use(rand.IntN(6), time.Second)":                                                          false,
		"d := base.d; d += rand.N(vary); time.Sleep(d)":                                           true,
		"d := time.Duration(rand.IntN(9)); d *= 2; select { case <-time.After(d): case <-done: }": true,
		"d := rand.N(vary); time.Sleep(d); use(d)":                                                true,
		"d := rand.N(vary); e := d; time.Sleep(e)":                                                false,
		"d.x = rand.N(vary); time.Sleep(d.x)":                                                     false,
		"not go":                                                                                  false,
	} {
		s := &bench{Experimenter: (&sim{streams: twoGoroutines()}).experimenter()}
		s.Source = napSource(code)
		if got := s.naps(12); got != want {
			t.Errorf("%s: %v, want %v", code, got, want)
		}
	}
}

// A random sleep brings the failure, and so does a hold: the hold says more. Without one the sleep is the cause.
func TestNapIsNoEnd(t *testing.T) {
	for held, want := range map[time.Duration]string{3 * time.Millisecond: "stall", time.Hour: "rand"} {
		s := &sim{streams: twoGoroutines(), draws: append(drawsAt(trace.ActRand, 12), drawsAt(trace.ActMap, 4)...), rule: func(r *simRun) string {
			late := r.drawn(trace.ActRand, 12, 3) == 0 || r.held(2, 4, 9) >= held
			if waits := r.held(1, 3, 5) >= 3*time.Millisecond; late && !waits {
				return "late"
			}
			return ""
		}}
		e := s.experimenter()
		e.Source = napSource("time.Sleep(rand.N(4 * time.Millisecond))")
		r, err := e.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := one(t, r)
		if f.Verdict != proof.Proved || f.Kind() != want || f.Nap != (want == "rand") {
			t.Errorf("%v: %v, %s, nap %v; want proved, %s", held, f.Verdict, f.Kind(), f.Nap, want)
		}
		if want == "rand" && !slices.Equal(f.blocks, []int{12}) {
			t.Errorf("at %v, want 12", f.blocks)
		}
	}
}

// What is drawn for something else ends the search.
func TestDrawEndsSearch(t *testing.T) {
	s := &sim{streams: twoGoroutines(), draws: append(drawsAt(trace.ActRand, 12), drawsAt(trace.ActMap, 4)...), rule: func(r *simRun) string {
		if r.drawn(trace.ActRand, 12, 3) == 0 || r.held(2, 4, 9) >= 3*time.Millisecond {
			return "late"
		}
		return ""
	}}
	e := s.experimenter()
	e.Source = napSource("n := rand.IntN(6)")
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f := one(t, r); f.Kind() != "rand" || f.Nap {
		t.Errorf("%s, nap %v, want rand, none", f.Kind(), f.Nap)
	}
}
