package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestWithout leaves out a rule that has found the cause of a program, and one that has not,
// because runs diverge elsewhere.
func TestWithout(t *testing.T) {
	var out strings.Builder
	status, err := run(context.Background(), []string{"-without", "each", "-only", "examples/randomness"}, &out, io.Discard)
	if err != nil || status != 0 {
		t.Fatalf("status %d, %v", status, err)
	}
	rows := make(map[string]string)
	sums, _, _ := strings.Cut(out.String(), "\n\n")
	for _, line := range strings.Split(sums, "\n") {
		if f := strings.Fields(line); len(f) > 0 {
			rows[f[0]] = strings.Join(f, " ")
		}
	}
	for rule, want := range map[string]string{
		"-":    "- 1 of 1 1 - -",
		"draw": "draw 0 of 1 0 - examples/randomness",
		"race": "race 1 of 1 1 - -",
	} {
		if rows[rule] != want {
			t.Errorf("got %q, want %q", rows[rule], want)
		}
	}
	if status, err := run(context.Background(), []string{"-without", "draw,nosuch"}, io.Discard, io.Discard); status != 2 || err == nil || !strings.Contains(err.Error(), `"nosuch"`) {
		t.Errorf("status %d, %v, want 2 and an error", status, err)
	}
}
