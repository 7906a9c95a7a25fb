package experiment

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

func TestLiterals(t *testing.T) {
	src := `package m

import "time"

const limit = 250 * time.Millisecond

func used() {
	time.Sleep(20 * time.Millisecond)
	select {
	case <-time.After(time.Second):
	case <-time.After(2.5 * time.Second):
	}
	wait(time.Millisecond * 30, 3*time.Microsecond, limit)
	wait((10 * time.Millisecond) / 1000, (10 * time.Millisecond) * n, n * (time.Second), time.Duration(n) * time.Second)
	wait(time.Second / 4 - time.Duration(50) * time.Millisecond, d - until(40 * time.Millisecond), elapsed > 2 * time.Hour / 1e3)
}

func other() { time.Sleep(time.Minute) }
`
	got := literals("m.go", []byte(src), []trace.Func{{Name: "used", Line: 7, End: 16}})
	want := []timeLimit{
		{250 * time.Millisecond, "250 * time.Millisecond", "m.go", 5, false},
		{20 * time.Millisecond, "20 * time.Millisecond", "m.go", 8, true},
		{time.Second, "time.Second", "m.go", 10, false},
		{2500 * time.Millisecond, "2.5 * time.Second", "m.go", 11, false},
		{30 * time.Millisecond, "time.Millisecond * 30", "m.go", 13, false},
		{200 * time.Millisecond, "time.Second / 4 - time.Duration(50) * time.Millisecond", "m.go", 15, false},
		{40 * time.Millisecond, "40 * time.Millisecond", "m.go", 15, false},
		{7200 * time.Millisecond, "2 * time.Hour / 1e3", "m.go", 15, false},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
	if literals("m.go", []byte("package"), nil) != nil {
		t.Error("of what is no Go")
	}
}

func TestRound(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{
		99: 99, 101: 110, 2345 * time.Microsecond: 2400 * time.Microsecond, 10 * time.Microsecond: 10 * time.Microsecond, 11900001: 12 * time.Millisecond,
	} {
		if got := round(d); got != want {
			t.Errorf("round(%d) = %d, want %d", d, got, want)
		}
	}
}

// While the dose is looked for 200 µs suffice, and once it is confirmed, on a machine that
// has become busy, 12 ms: that is confirmed too, and what is said of it is about these runs.
func TestBusier(t *testing.T) {
	least := 200 * time.Microsecond
	s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
		if r.held(2, 4, 6) >= least {
			return "failed"
		}
		return ""
	}}
	e := s.experimenter()
	e.Report = func(p Progress) {
		if p.Step == "confirming" {
			least = 12 * time.Millisecond
		}
	}
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := one(t, r)
	if f.Verdict != proof.Proved || f.Smallest != leastDose || f.dosed().Plan.Acts[0].Dose != factor*leastDose {
		t.Errorf("%v, held for %v; want proved and %v", f.Verdict, f.Smallest, leastDose)
	}
	if c := f.Confirmed; c.With.Failed != 20 || c.With.Of != 20 || c.Plain.Of != 20 || c.Sham == (proof.Count{}) || c.Sham.Failed != 0 {
		t.Errorf("confirmation %+v", c)
	}
	if len(f.Traces.Fail) != 20 || len(f.Traces.Pass) != 20 {
		t.Errorf("%d and %d traces, want 20 of each", len(f.Traces.Fail), len(f.Traces.Pass))
	}
}
