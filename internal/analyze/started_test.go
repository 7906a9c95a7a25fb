package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// A process is found again by the test that it ran first, and by how many have run that first before.
func TestNumber(t *testing.T) {
	ran := func(tests ...string) *trace.Trace {
		t := &trace.Trace{}
		for _, name := range tests {
			t.Tests = append(t.Tests, trace.TestRun{Name: name})
		}
		return t
	}
	list := []*trace.Trace{ran("TestA"), ran(), ran("TestA/one", "TestB"), ran("TestB"), ran()}
	want := []started{{"TestA", 0}, {"", 0}, {"TestA", 1}, {"TestB", 0}, {"", 1}}
	got := number(list)
	for i, p := range want {
		if got[p] != list[i] {
			t.Errorf("%v is not process %d", p, i)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d processes, want %d", len(got), len(want))
	}
}
