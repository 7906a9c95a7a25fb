package trace

import "testing"

func TestMove(t *testing.T) {
	frame := func(file string) Frame { return Frame{Func: "p.F", File: file, Line: 3} }
	tr := &Trace{
		Goroutines: []*Goroutine{{Spawn: frame("/farm/src/p/a.go"), Entry: frame("/farming/a.go")}},
		Stacks:     map[uint32][]Frame{7: {frame("/home/m/a.go"), frame("/farm/src/q/b.go")}},
	}
	tr.move("/farm", "/go")
	got := []string{tr.Goroutines[0].Spawn.File, tr.Goroutines[0].Entry.File, tr.Stacks[7][0].File, tr.Stacks[7][1].File}
	want := []string{"/go/src/p/a.go", "/farming/a.go", "/home/m/a.go", "/go/src/q/b.go"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("file %d is %s, want %s", i, got[i], want[i])
		}
	}
}
