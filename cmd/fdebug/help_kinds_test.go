package main

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/templates"
)

// TestHelpKinds wants a line for each kind of flakiness that there is advice on.
func TestHelpKinds(t *testing.T) {
	text, err := helpTexts.ReadFile("help/kinds.txt")
	entries, derr := templates.FS.ReadDir("advice")
	if err != nil || derr != nil {
		t.Fatal(err, derr)
	}
	if n := strings.Count(string(text), "\n\t"); n != len(entries) {
		t.Errorf("%d lines for %d kinds", n, len(entries))
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".md"); !strings.Contains(string(text), "\n\t"+name+" ") {
			t.Errorf("no line for %s", name)
		}
	}
}
