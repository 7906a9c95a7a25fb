package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompare compares what two binaries have said of three cases, and a case that only one of them has seen.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	cases := write("cases.jsonl", `{"kind":"real","name":"a"}
{"kind":"real","name":"b"}
{"kind":"program","name":"c"}
{"kind":"program","name":"d"}
`)
	before := write("before.jsonl", `{"name":"a","kind":"real","counts":true,"first":true,"any":true,"list":["a.go:1"],"cause":"One."}
{"name":"b","kind":"real","counts":true,"any":true,"list":["b.go:1"],"verdict":"proved"}
{"name":"c","kind":"program","counts":true,"first":true,"any":true,"list":["c.go:1"]}
`)
	after := write("after.jsonl", `{"name":"d","kind":"program","counts":true}
{"name":"c","kind":"program","counts":true,"first":true,"any":true,"list":["c.go:1"]}
{"name":"b","kind":"real","counts":true,"first":true,"any":true,"list":["b.go:2"],"verdict":"proved"}
{"name":"a","kind":"real","counts":true,"list":["a.go:9"],"cause":"Two."}
`)
	var out strings.Builder
	if _, err := run(t.Context(), []string{"-cases", cases, "-compare", before + "," + after}, &out, t.Output()); err != nil {
		t.Fatal(err)
	}
	want := `a  worse lost cause list    a.go:1  One.
                            a.go:9  Two.
b  better list              b.go:1  
                            b.go:2  

3 cases: worse 1 better 1 lost 1 found 0 category 0 cause 1 list 2 error 0

kind     n  first  any  category right  proved
all      3  2      3    0               1
real     2  1      2    0               1
program  1  1      1    0               0

kind     n  first  any  category right  proved
all      3  2      2    0               1
real     2  1      1    0               1
program  1  1      1    0               0
`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
	}
}

// TestKeptOn says when a place is on the cause of a kept run directory.
func TestKeptOn(t *testing.T) {
	var exact kept
	exact.Cause = append(exact.Cause, struct {
		File  string `json:"file"`
		Start int    `json:"start"`
		End   int    `json:"end"`
	}{"x.go", 10, 12})
	near := exact
	near.Apart = 2
	for _, test := range []struct {
		file        string
		start, end  int
		exact, near bool
	}{
		{"x.go", 11, 0, true, true},
		{"x.go", 12, 21, true, true},
		{"x.go", 12, 22, false, false}, // too long to say where
		{"x.go", 14, 0, false, true},
		{"x.go", 15, 0, false, false},
		{"x.go", 14, 17, false, false}, // neither short nor with a line of it
		{"y.go", 11, 0, false, false},
	} {
		p := doc("TestX", 1, [2]int{test.start, test.end}).Tests[1].Suspects[0].Span
		p.File = test.file
		if exact.on(p) != test.exact || near.on(p) != test.near {
			t.Errorf("%+v: %v, %v", test, exact.on(p), near.on(p))
		}
	}
}
