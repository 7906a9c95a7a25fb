package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
)

// TestEarlierExample shuffles the tests of an example in which one test
// (TestLoadOverridesPort, line 25) changes what another finds (config.go:58).
func TestEarlierExample(t *testing.T) {
	var r struct {
		Tests []struct {
			Test     string
			Suspects []struct {
				lineRange
				Why string
			}
		}
	}
	data := runIn(t, t.TempDir(), "run", "./testorder", "-n", "40", "-plain", "0", "-shuffle", "on", "-values=false")
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tests) != 1 || r.Tests[0].Test != "TestDefaultAddr" || len(r.Tests[0].Suspects) < 2 {
		t.Fatalf("got %+v, want suspects of TestDefaultAddr", r.Tests)
	}
	first := r.Tests[0].Suspects[0]
	if (first.lineRange != lineRange{"testorder/config.go", 58, 58}) || !strings.Contains(first.Why, "TestLoadOverridesPort") {
		t.Errorf("looks first at %+v, want where the other test changes the port", first)
	}
	second := r.Tests[0].Suspects[1]
	if (second.lineRange != lineRange{"testorder/config_test.go", 25, 25}) || !strings.Contains(second.Why, "leaves something behind") {
		t.Errorf("looks then at %+v, want the test that overrides the port", second)
	}
}

func TestEarlierWords(t *testing.T) {
	for want, e := range map[string]divergence.Earlier{
		"it had run before in 5 of 5 failing runs and in 1 of 10 passing runs, so it seems that it leaves something behind that fails this test": {
			Tests: []string{"TestA"}, FailsIf: true, Table: divergence.Table{FailTaken: 5, PassTaken: 1, PassNot: 9}},
		"one of TestA, TestB and TestC had run before in 0 of 5 failing runs and in 10 of 10 passing runs, so it seems that it sets something up that this test needs": {
			Tests: []string{"TestA", "TestB", "TestC"}, Table: divergence.Table{FailTaken: 5, PassNot: 10}},
	} {
		if got := earlierWords(&e); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
