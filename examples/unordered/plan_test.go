package unordered

import (
	"errors"
	"strings"
	"testing"
)

func TestScript(t *testing.T) {
	steps := Steps{
		"network":  nil,
		"database": {"network"},
		"secrets":  nil,
		"storage":  nil,
		"server":   {"database", "secrets", "storage"},
	}
	got, err := steps.Script()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"set -e",
		"./deploy network",
		"./deploy secrets",
		"./deploy storage",
		"./deploy database",
		"./deploy server",
		"",
	}, "\n")
	if got != want {
		t.Errorf("script:\n%s\nwant:\n%s", got, want)
	}
}

func TestCycle(t *testing.T) {
	steps := Steps{"chicken": {"egg"}, "egg": {"chicken"}, "farm": nil}
	_, err := steps.Plan()
	var cycle *CycleError
	if !errors.As(err, &cycle) {
		t.Fatalf("error = %v, want a CycleError", err)
	}
	if len(cycle.Steps) != 2 {
		t.Errorf("cycle = %q, want chicken and egg", cycle.Steps)
	}
}

func TestUnknownStep(t *testing.T) {
	if _, err := (Steps{"server": {"database"}}).Plan(); err == nil {
		t.Error("a step may need an unknown one")
	}
}
