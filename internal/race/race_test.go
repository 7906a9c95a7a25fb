package race

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/trace"
)

const report = `==================
WARNING: DATA RACE
Read at 0x00c000018f7f by goroutine 8:
  strings.(*Builder).Len()
      /go/src/strings/builder.go:60 +0x47e
  example.com/m/p.TestX()
      /m/p/p_test.go:12 +0x47e

Previous atomic write at 0x00c000018f7f by goroutine 10:
  example.com/m/p.(*S).put[...]()
      /m/p/p.go:9 +0x4e
  example.com/m/p.TestX.func1()
      /m/p/p_test.go:9 +0x4e

Goroutine 8 (running) created at:
  testing.(*T).Run()
      /go/src/testing/testing.go:1851 +0x8f2

Goroutine 10 (finished) created at:
  example.com/m/p.TestX()
      /m/p/p_test.go:8 +0x30
==================
`

func TestParse(t *testing.T) {
	got, ok := Parse(report)
	want := Report{[2]Access{
		{
			Stack: []trace.Frame{
				{Func: "strings.(*Builder).Len", File: "/go/src/strings/builder.go", Line: 60},
				{Func: "example.com/m/p.TestX", File: "/m/p/p_test.go", Line: 12},
			},
			Started: []trace.Frame{{Func: "testing.(*T).Run", File: "/go/src/testing/testing.go", Line: 1851}},
		},
		{
			Write: true,
			Stack: []trace.Frame{
				{Func: "example.com/m/p.(*S).put[...]", File: "/m/p/p.go", Line: 9},
				{Func: "example.com/m/p.TestX.func1", File: "/m/p/p_test.go", Line: 9},
			},
			Started: []trace.Frame{{Func: "example.com/m/p.TestX", File: "/m/p/p_test.go", Line: 8}},
		},
	}}
	if !ok {
		t.Fatal("not read")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !got.Mentions("TestX/case") || got.Mentions("TestXY") || got.Mentions("") {
		t.Error("it is TestX that raced")
	}
}

func TestParseOther(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":      "p_test.go:12: got 1",
		"one side":     report[:strings.Index(report, "Previous")],
		"cut":          "WARNING: DATA RACE\nRead at 0x",
		"lost stack":   strings.Replace(report, "  example.com/m/p.(*S).put[...]()\n      /m/p/p.go:9 +0x4e\n  example.com/m/p.TestX.func1()\n      /m/p/p_test.go:9 +0x4e\n", "  [failed to restore the stack]\n", 1),
		"a plain dump": "goroutine 1 [running]:\nmain.main()\n\t/m/main.go:3 +0x1d\n",
	} {
		if r, ok := Parse(text); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(report)
	f.Fuzz(func(t *testing.T, text string) {
		if r, ok := Parse(text); ok && (len(r.Accesses[0].Stack) == 0 || len(r.Accesses[1].Stack) == 0) {
			t.Error("a side without a stack")
		}
	})
}
