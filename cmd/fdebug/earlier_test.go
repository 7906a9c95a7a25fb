package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// checkEarlier checks the result.json of recorded runs, with shuffled tests, of an example in
// which one test (TestLoadOverridesPort, line 25) changes what another reads (config.go:58).
func checkEarlier(t *testing.T, data []byte) {
	t.Helper()
	var r struct {
		Tests []struct {
			Test     string
			Suspects []struct {
				lineRange
				Why string
			}
		}
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tests) != 1 || r.Tests[0].Test != "TestDefaultAddr" || len(r.Tests[0].Suspects) < 3 {
		t.Fatalf("got %+v, want suspects of TestDefaultAddr", r.Tests)
	}
	first := r.Tests[0].Suspects[0]
	if (first.lineRange != lineRange{"testorder/config.go", 29, 29}) || !strings.Contains(first.Why, "read by TestLoadOverridesPort too") {
		t.Errorf("looks first at %+v, want where both tests get hold of the defaults", first)
	}
	second := r.Tests[0].Suspects[1]
	if (second.lineRange != lineRange{"testorder/config.go", 58, 58}) || !strings.Contains(second.Why, "left changed by TestLoadOverridesPort") {
		t.Errorf("looks then at %+v, want where the other test changes the port", second)
	}
	third := r.Tests[0].Suspects[2]
	if (third.lineRange != lineRange{"testorder/config_test.go", 25, 25}) || !strings.Contains(third.Why, "TestLoadOverridesPort ran before") {
		t.Errorf("looks last at %+v, want the test that overrides the port", third)
	}
}
