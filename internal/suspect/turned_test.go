package suspect

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

const hub = `package p
func (h *hub) publish(x int) {
	if len(h.subs) == 0 {
		return
	}
	h.out <- x
}
func (h *hub) subscribe() {
	h.log()
	h.subs = append(h.subs, 1)
	<-h.out
}
`

// The publisher found nobody in line 3, and ended in line 4. The subscriber, which
// waits in line 11, may have registered (10) after that; if it had certainly done
// so before, where the publisher ended comes first.
func TestTurned(t *testing.T) {
	publisher := trace.NewGoroutine(2, "TestX", []trace.Event{3, 4})
	publisher.Start, publisher.End = 50, 60
	for _, c := range []struct{ registered, want int64 }{{70, 10}, {20, 4}} {
		subscriber := trace.NewGoroutine(1, "TestX", []trace.Event{9, 10, 11})
		subscriber.Start = 10
		subscriber.Stamps = []trace.Stamp{{Pos: 3, Time: c.registered}}
		at := func(line int) trace.Frame { return trace.Frame{File: "/m/p/a.go", Line: line} }
		in := Input{
			Analysis: &divergence.Analysis{},
			Sites:    lineSites(hub, [2]int{2, 7}, [2]int{8, 12}),
			Source:   func(string) ([]byte, error) { return []byte(hub), nil },
			Hang: &finding.Hang{Failing: 5, Waits: []finding.Wait{{
				Goroutine: subscriber, At: at(11), Failing: 5,
				Waker: &finding.Waker{At: at(6), Code: "h.out <- x", Fate: finding.Fate{
					State: finding.FateEnded, At: at(4), Wait: -1,
					Turn: &finding.Turn{At: at(3), Goroutine: publisher, Block: 3, Pos: 1},
				}},
			}}},
		}
		if got := firstLine(t, in); got != int(c.want) {
			t.Errorf("registered at %d: first suspect in line %d, want %d", c.registered, got, c.want)
		}
	}
}
