package floatingpoint

import (
	"errors"
	"testing"
)

func TestValidate(t *testing.T) {
	canary := Split{
		"v1.0": 0.4,
		"v1.1": 0.2,
		"v1.2": 0.1,
		"v1.3": 0.1,
		"v1.4": 0.05,
		"v1.5": 0.05,
		"v1.6": 0.04,
		"v1.7": 0.03,
		"v1.8": 0.02,
		"v1.9": 0.01,
	}
	if err := canary.Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateRefuses(t *testing.T) {
	s := Split{"blue": 0.5, "green": 0.25}
	if err := s.Validate(); !errors.Is(err, ErrWeights) {
		t.Errorf("Validate: %v, want %v", err, ErrWeights)
	}
	if err := (Split{"blue": 2, "green": -1}).Validate(); err == nil {
		t.Error("a negative weight is valid")
	}
}

func TestShift(t *testing.T) {
	s := Split{"blue": 0.75, "green": 0.25}
	got, err := s.Shift("blue", "green", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if got["blue"] != 0.25 || got["green"] != 0.75 {
		t.Errorf("Shift = %v", got)
	}
}

func TestPick(t *testing.T) {
	s := Split{"blue": 0.75, "green": 0.25}
	for x, want := range map[float64]string{0: "blue", 0.5: "blue", 0.75: "green", 0.99: "green"} {
		if got := s.Pick(x); got != want {
			t.Errorf("Pick(%v) = %s, want %s", x, got, want)
		}
	}
}
