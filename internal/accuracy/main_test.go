package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

// Two programs of which the cause is a single value, fast ones that fail in
// about a third of their runs or more.
func TestFdebugFindsTheCause(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs fdebug")
	}
	var out strings.Builder
	status, err := run(context.Background(), []string{"-n", "40", "-least", "100", "-only", "examples/fdpaper,examples/unordered"}, &out, io.Discard)
	if err != nil || status != 0 {
		t.Errorf("status %d, %v\n%s", status, err, out.String())
	}
	if !strings.Contains(out.String(), "2 of 2 (100 %)") {
		t.Errorf("the table does not count two programs:\n%s", out.String())
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-only", "nosuch"}, {"extra"}, {"-n", "x"}, {"-inject", "-fdebug", "fdebug", "-modules", "nosuch"}} {
		if status, err := run(context.Background(), args, io.Discard, io.Discard); status != 2 || err == nil {
			t.Errorf("%q: status %d, %v, want 2 and an error", args, status, err)
		}
	}
}
