package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/lab/lightbuild"
)

func TestMain(m *testing.M) {
	lightbuild.Use()
	m.Run()
}

// TestFdebugFindsTheCause takes one program from the command line to the table, a fast one that
// fails in half of its runs. TestRecorded tests the findings for the others on recorded runs.
func TestFdebugFindsTheCause(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs fdebug")
	}
	var out strings.Builder
	status, err := run(context.Background(), []string{"-n", "40", "-least", "100", "-only", "examples/fdpaper"}, &out, io.Discard)
	if err != nil || status != 0 {
		t.Errorf("status %d, %v\n%s", status, err, out.String())
	}
	if !strings.Contains(out.String(), "1 of 1 (100 %)") {
		t.Errorf("the table does not count one program:\n%s", out.String())
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-only", "nosuch"}, {"extra"}, {"-n", "x"}, {"-inject", "-fdebug", "fdebug", "-modules", "nosuch"}} {
		if status, err := run(context.Background(), args, io.Discard, io.Discard); status != 2 || err == nil {
			t.Errorf("%q: status %d, %v, want 2 and an error", args, status, err)
		}
	}
}
