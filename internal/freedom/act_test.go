package freedom

import (
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// collect collects garbage at a position, twice, so that pools are empty too.
func collect(at Position) Step { return Step{Kind: trace.ActGC, At: at, First: at.G.Class != 0} }

// Controls, doses and waits are the same functions for acts of all kinds. A trace counts acts by
// kind.
func TestActs(t *testing.T) {
	at := Position{G: Goroutine{ID: 1}, Event: 3, Block: 4}
	p := Plan{Acts: []Step{
		Stall(at, time.Second, false), Late(7, time.Second), Order(at, at, 2*time.Second), collect(at), Stall(at, time.Minute, true),
		Collector(GCOff), StartAt(time.Hour, 5), Pin(trace.ActMap, 8, 9), collect(at),
	}}
	var index []int
	var waits, dosed []time.Duration
	for i, a := range p.Acts {
		index, waits = append(index, p.Index(i)), append(waits, a.Waits())
	}
	for _, a := range p.Dosed(time.Millisecond).Acts {
		dosed = append(dosed, max(a.Dose, time.Duration(a.Value)))
	}
	if want := []int{0, 0, 0, 0, 1, 0, 0, 0, 1}; !slices.Equal(index, want) {
		t.Errorf("index %v, want %v", index, want)
	}
	if want := []time.Duration{time.Second, 0, 2 * time.Second, 0, time.Minute, 0, time.Hour, 0, 0}; !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v", waits, want)
	}
	if want := []time.Duration{time.Millisecond, time.Millisecond, 2 * time.Second, 0, time.Millisecond, 0, 5, 0, 0}; !slices.Equal(dosed, want) {
		t.Errorf("doses %v, want %v", dosed, want)
	}
	if p.Acts[0].Dose != time.Second {
		t.Errorf("the plan itself has another dose: %v", p.Acts[0])
	}
	class := Position{G: Goroutine{Class: 2}, Block: 5}
	if got, want := p.Acts[0].Moved(class), Stall(class, time.Second, false); got != want {
		t.Errorf("moved to %+v, want %+v", got, want)
	}
	if got, want := p.Acts[7].Moved(Position{Block: 5}), Pin(trace.ActMap, 8, 5); got != want {
		t.Errorf("moved to %+v, want %+v", got, want)
	}
}
