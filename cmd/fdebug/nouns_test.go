package main

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// eachFile calls do for files of ours, without test data and the examples, which are about other things.
func eachFile(t *testing.T, do func(path string, text []byte)) {
	t.Helper()
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "examples" || name != "." && strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		do(path, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// clause begins a comment that describes a value by a clause, where a noun would name it.
var clause = regexp.MustCompile(`(?m)^\s*// \w+ (?:returns|is) (?:what|who|whom) .*`)

// TestNouns finds none.
func TestNouns(t *testing.T) {
	eachFile(t, func(path string, text []byte) {
		if !strings.HasSuffix(path, ".go") {
			return
		}
		for _, c := range clause.FindAllString(string(text), -1) {
			t.Errorf("%s: %s: name the noun", path, strings.TrimSpace(c))
		}
	})
}
