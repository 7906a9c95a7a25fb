package source

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

func TestDurations(t *testing.T) {
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
	f, err := syntax.Parse("m.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	got := Durations(f, []trace.Func{{Name: "used", Line: 7, End: 16}})
	want := []Duration{
		{250 * time.Millisecond, "250 * time.Millisecond", "m.go", 5, false},
		{20 * time.Millisecond, "20 * time.Millisecond", "m.go", 8, true},
		{time.Second, "time.Second", "m.go", 10, false},
		{2500 * time.Millisecond, "2.5 * time.Second", "m.go", 11, false},
		{30 * time.Millisecond, "time.Millisecond * 30", "m.go", 13, false},
		{3 * time.Microsecond, "3*time.Microsecond", "m.go", 13, false},
		{10 * time.Microsecond, "(10 * time.Millisecond) / 1000", "m.go", 14, false},
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
}
