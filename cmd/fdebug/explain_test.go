package main

import "testing"

// Each category has a line in the list, and each line a category.
func TestInShort(t *testing.T) {
	names, err := categories()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if s := inShort[name]; s == "" || len(s) > 70 {
			t.Errorf("%s: %q", name, s)
		}
	}
	if len(inShort) != len(names) {
		t.Errorf("%d lines for %d categories", len(inShort), len(names))
	}
}
