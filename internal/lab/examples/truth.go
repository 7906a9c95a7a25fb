package main

import (
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

//go:embed truth.txt
var truthText string

// An example is what is known of one of them.
type example struct {
	name     string // of its package
	test     string // the flaky one
	kind     string // "async wait"
	shuffled bool   // whether it fails only with -shuffle
	cause    []trace.Span
	headline *regexp.Regexp // what the sentence of the cause must match to be true
	advice   *regexp.Regexp // what each line of advice must match to lead to a fix
	excuse   string         // why it may be wrong, "" if it may not
}

// read reads what is known of the examples of a repository.
func read(root string) ([]*example, error) {
	const page = "README.md"
	data, err := os.ReadFile(filepath.Join(root, "examples", page))
	if err != nil {
		return nil, fmt.Errorf("to be run in the repository of fdebug: %w", err)
	}
	list, err := parsePage(string(data))
	if err != nil {
		return nil, fmt.Errorf("examples/%s: %w", page, err)
	}
	if err := addTruth(list, truthText); err != nil {
		return nil, fmt.Errorf("truth.txt: %w", err)
	}
	return list, nil
}

// parsePage reads the tables of the examples, and of where the cause is.
func parsePage(page string) (list []*example, err error) {
	for _, c := range tableRows(page, "| package | what it is | category | flaky test |") {
		kind, _, shuffled := strings.Cut(c[2], ", only with `-shuffle`")
		kind, _, _ = strings.Cut(kind, " (")
		list = append(list, &example{name: code(c[0]), test: code(c[3]), kind: strings.ToLower(kind), shuffled: shuffled})
	}
	for _, c := range tableRows(page, "| package | cause | what happens |") {
		e := find(list, code(c[0]))
		if e == nil {
			return nil, fmt.Errorf("%s has a cause, and is no example", c[0])
		}
		e.cause = places(e.name, c[1]+c[2])
	}
	for _, e := range list {
		if len(e.cause) == 0 {
			return nil, fmt.Errorf("%s has no cause", e.name)
		}
	}
	return list, nil
}

// tableRows returns the cells of a table below its head.
func tableRows(page, head string) (rows [][]string) {
	_, table, _ := strings.Cut(page, head+"\n")
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if strings.Trim(cells[0], "-") != "" && len(cells) == strings.Count(head, "|")-1 {
			rows = append(rows, cells)
		}
	}
	return rows
}

func code(cell string) string { return strings.Trim(cell, "`") }

func find(list []*example, name string) *example {
	for _, e := range list {
		if e.name == name {
			return e
		}
	}
	return nil
}

// placeCode matches a place of the cause; of several in one file only the first has its name.
var placeCode = regexp.MustCompile("`([a-z_]+\\.go)?:(\\d+)(?:-(\\d+))?`")

// places are those that text names.
func places(pkg, text string) (list []trace.Span) {
	file := ""
	for _, m := range placeCode.FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			file = path.Join(pkg, m[1])
		}
		start, _ := strconv.Atoi(m[2])
		end, _ := strconv.Atoi(m[3])
		list = append(list, trace.Span{File: file, Start: start, End: max(start, end)})
	}
	return list
}

// addTruth adds what truth.txt says, whose format stands there.
func addTruth(list []*example, text string) (err error) {
	var e *example
	for line := range strings.Lines(text) {
		key, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key == "" || strings.HasPrefix(key, "#") {
			continue
		}
		if key == "example" {
			e = find(list, rest)
		}
		if e == nil {
			return fmt.Errorf("%q is about no example", strings.TrimSpace(line))
		}
		switch key {
		case "example":
		case "headline":
			e.headline, err = regexp.Compile(rest)
		case "advice":
			e.advice, err = regexp.Compile(rest)
		case "excuse":
			e.excuse = rest
		default:
			err = fmt.Errorf("unknown word %q", key)
		}
		if err != nil {
			return err
		}
	}
	for _, e := range list {
		if e.headline == nil || e.advice == nil {
			return fmt.Errorf("%s lacks a headline or advice", e.name)
		}
	}
	return nil
}
