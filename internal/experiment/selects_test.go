package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A goroutine has two cases ready only if it is held right before its select, at its third visit in a loop or at its
// first: a sweep comes there once, and then takes the case that passes in every other search.
func TestSelectHeld(t *testing.T) {
	loop := []trace.Event{11, 15, 16, 15, 16, 15, 16, 17}
	for name, event := range map[string]int64{"first visit": 1, "third visit": 5} {
		proved := 0
		for seed := range uint64(30) {
			s := &sim{streams: [][]trace.Event{stream(1, 6), loop}, comms: []int{16}, rule: func(r *simRun) string {
				if r.held(2, event, event) < time.Millisecond {
					return ""
				}
				r.draws = drawsAt(trace.ActSelect, 15)
				if r.drawn(trace.ActSelect, 15, 2) == 0 {
					return "cancelled"
				}
				return ""
			}}
			e := s.experimenter()
			s.rnd = rand.New(rand.NewPCG(seed, 5))
			e.Seed = seed + 1
			r, err := e.Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				if f.Verdict == proof.Proved && f.Kind() == "stall+select" && slices.Equal(f.blocks, []int{15}) {
					proved++
				}
			}
		}
		if proved < 29 { // none of eight seeds fails in one search of 256
			t.Errorf("%s: %d of 30 proved", name, proved)
		}
	}
}
