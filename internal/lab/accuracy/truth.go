package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/session"
)

// A program is a flaky program and what is known about it.
type program struct {
	name  string   // directory of testdata/flaky, or "examples/" and a package
	test  string   // the flaky test
	flags []string // as fdebug run has them
	cause []place  // empty: it never fails
	why   string   // one sentence
	// categories has the category of the cause, or two if either is right.
	categories []string
}

// A place is a line of the cause, identified by its text.
type place struct {
	file string // relative to the module
	nth  int    // which of the lines with this text, from 1; 0 if there is only one
	text string
	line int // found by locate
}

// dir returns the module that contains p, and the pattern of its packages there.
func (p *program) dir(root string) (dir, pattern string) {
	if pkg, ok := strings.CutPrefix(p.name, "examples/"); ok {
		return filepath.Join(root, "examples"), "./" + pkg
	}
	return filepath.Join(root, "internal", "lab", "accuracy", "testdata", "flaky", p.name), "./..."
}

// parseTruth parses the format that truth.txt describes.
func parseTruth(text string) ([]*program, error) {
	var list []*program
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, rest, _ := strings.Cut(line, " ")
		if key == "program" {
			fields := strings.Fields(rest)
			if len(fields) < 2 {
				return nil, fmt.Errorf("line %d: want program NAME TEST", i+1)
			}
			list = append(list, &program{name: fields[0], test: fields[1], flags: fields[2:]})
			continue
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("line %d: %s before the first program", i+1, key)
		}
		if err := list[len(list)-1].take(key, rest); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return list, nil
}

// set gives a session the program's flags.
func (p *program) set(s *session.Session) error {
	fs := flag.NewFlagSet(p.name, flag.ContinueOnError)
	fs.StringVar(&s.Sel.Shuffle, "shuffle", "", "")
	return fs.Parse(p.flags)
}

// take processes one line about a program.
func (p *program) take(key, rest string) error {
	switch key {
	case "why":
		p.why = rest
	case "category":
		p.categories = strings.Fields(rest)
	case "cause":
		at, text, ok := strings.Cut(rest, ": ")
		if !ok || text == "" {
			return fmt.Errorf("want cause FILE: TEXT")
		}
		c := place{file: at, text: text}
		if file, nth, ok := strings.Cut(at, "#"); ok {
			n, err := strconv.Atoi(nth)
			if err != nil || n < 1 {
				return fmt.Errorf("bad number %q", nth)
			}
			c.file, c.nth = file, n
		}
		p.cause = append(p.cause, c)
	default:
		return fmt.Errorf("unknown word %q", key)
	}
	return nil
}

// locate finds the lines of the cause in the source.
func (p *program) locate(root string) error {
	dir, _ := p.dir(root)
	for i := range p.cause {
		c := &p.cause[i]
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(c.file)))
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if c.line, err = c.find(string(data)); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// find returns the number of the place's line in a source.
func (c *place) find(source string) (int, error) {
	var found []int
	for i, line := range strings.Split(source, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), c.text) {
			found = append(found, i+1)
		}
	}
	switch {
	case c.nth == 0 && len(found) != 1:
		return 0, fmt.Errorf("%s: %d lines begin with %q, want one", c.file, len(found), c.text)
	case c.nth > len(found):
		return 0, fmt.Errorf("%s: %d lines begin with %q, want %d", c.file, len(found), c.text, c.nth)
	}
	return found[max(c.nth, 1)-1], nil
}

// choose returns the programs that only selects, by name or by a prefix of their names. ""
// selects all of them.
func choose(list []*program, only string) ([]*program, error) {
	if only == "" {
		return list, nil
	}
	var out []*program
	for _, want := range strings.Split(only, ",") {
		n := len(out)
		for _, p := range list {
			if (p.name == want || strings.HasPrefix(p.name, want+"/")) && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("no program is called %q", want)
		}
	}
	return out, nil
}
