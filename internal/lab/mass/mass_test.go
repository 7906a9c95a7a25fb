// Package mass has a test that holds what there is: lines and bytes of Go by folder, in mass.txt. It is
// written anew with
//
//	go test ./internal/lab/mass -update
//
// which refuses a core that has grown. A folder may grow in a change in which others shrink by as much.
package mass

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write mass.txt anew")

// A mass is what a folder has. Testdata is none of it.
type mass struct{ lines, bytes, testLines, testBytes int }

func (m *mass) add(o mass) {
	m.lines, m.bytes = m.lines+o.lines, m.bytes+o.bytes
	m.testLines, m.testBytes = m.testLines+o.testLines, m.testBytes+o.testBytes
}

// beside are the folders that are no part of the core: examples, and what stands beside it.
var beside = []string{"examples", "internal/fleet", "internal/lab", "internal/tracker"}

func isBeside(folder string) bool {
	for _, b := range beside {
		if folder == b || strings.HasPrefix(folder, b+"/") {
			return true
		}
	}
	return false
}

// weigh returns the mass of each folder with Go files, and the folders in order.
func weigh(root fs.FS) (order []string, all map[string]*mass, err error) {
	all = make(map[string]*mass)
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		m := all[path.Dir(name)]
		if m == nil {
			m = new(mass)
			all[path.Dir(name)] = m
			order = append(order, path.Dir(name))
		}
		one := mass{lines: bytes.Count(text, []byte("\n")), bytes: len(text)}
		if strings.HasSuffix(name, "_test.go") {
			one = mass{testLines: one.lines, testBytes: one.bytes}
		}
		m.add(one)
		return nil
	})
	return order, all, err
}

// table writes the masses, and returns the lines of the core.
func table(order []string, all map[string]*mass) (text string, core int) {
	var b strings.Builder
	row := func(name string, m mass) {
		fmt.Fprintf(&b, "%-45s %7d %9d %7d %9d\n", name, m.lines, m.bytes, m.testLines, m.testBytes)
	}
	fmt.Fprintf(&b, "%-45s %7s %9s %7s %9s\n", "folder", "lines", "bytes", "tests", "bytes")
	var inner, outer mass
	for _, name := range order {
		row(name, *all[name])
		if isBeside(name) {
			outer.add(*all[name])
		} else {
			inner.add(*all[name])
		}
	}
	row("core", inner)
	row("beside it", outer)
	return b.String(), inner.lines
}

// The tree has what mass.txt says. What has become less is written down in the same change.
func TestMass(t *testing.T) {
	order, all, err := weigh(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	got, core := table(order, all)
	was, err := os.ReadFile("mass.txt")
	if err != nil && !*update {
		t.Fatal(err)
	}
	most := coreOf(string(was))
	if core > most && most > 0 {
		t.Errorf("the core has %d lines, %d more than it had: what goes for them?", core, core-most)
	}
	if got == string(was) || t.Failed() {
		return
	}
	if !*update {
		t.Fatalf("mass.txt is not what there is; go test ./internal/lab/mass -update writes it:\n%s", differing(string(was), got))
	}
	if err := os.WriteFile("mass.txt", []byte(got), 0o666); err != nil {
		t.Fatal(err)
	}
}

// coreOf returns the lines of the core in a table, 0 if it has none.
func coreOf(table string) (lines int) {
	for row := range strings.Lines(table) {
		fmt.Sscanf(row, "core %d", &lines)
	}
	return lines
}

// differing returns the rows that only one of two tables has.
func differing(was, is string) string {
	var b strings.Builder
	for _, side := range []struct{ mark, rows, other string }{{"-", was, is}, {"+", is, was}} {
		for row := range strings.Lines(side.rows) {
			if !strings.Contains(side.other, row) {
				b.WriteString(side.mark + row)
			}
		}
	}
	return b.String()
}
