package runner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/trace"
)

// leakOf13 is the output of goleak v1.3.0 for a test, through t.Error.
const leakOf13 = `    pool_test.go:17: found unexpected goroutines:
        [Goroutine 7 in state select, with example.com/leak.(*Pool).work on top of the stack:
        example.com/leak.(*Pool).work(...)
        	/m/pool.go:19
        created by example.com/leak.NewPool in goroutine 6
        	/m/pool.go:13 +0xbf
        ]
    pool_test.go:18: and more: 7
`

// leaksOf11 is the output of goleak v1.1.12 after all tests have passed, for goroutines of an older Go.
const leaksOf11 = `goleak: Errors on successful test run: found unexpected goroutines:
[Goroutine 8 in state chan receive, 2 minutes, with example.com/leak.wait on top of the stack:
goroutine 8 [chan receive, 2 minutes]:
example.com/leak.wait(0xc000012345)
	/m/wait.go:12 +0x25
created by example.com/leak.TestX
	/m/wait_test.go:9 +0x3f

 Goroutine 21 in state sleep, with time.Sleep on top of the stack:
goroutine 21 [sleep]:
time.Sleep(0x3b9aca00)
	/go/src/runtime/time.go:195 +0x135
example.com/leak.nap()
	/m/wait.go:20 +0x1d
created by example.com/leak.TestX
	/m/wait_test.go:10 +0x3f
]
`

func TestParseLeaks(t *testing.T) {
	left := []Dumped{{
		Number: 7, State: "select", Frames: []trace.Frame{{Func: "example.com/leak.(*Pool).work", File: "/m/pool.go", Line: 19}},
		Creator: trace.Frame{Func: "example.com/leak.NewPool", File: "/m/pool.go", Line: 13},
	}}
	for name, c := range map[string]struct {
		output string
		want   []Dumped
	}{
		"none":        {"    pool_test.go:17: found 2 goroutines\n", nil},
		"of one test": {leakOf13, left},
		"marked":      {strings.Replace(leakOf13, "select", "select (leaked)", 1), left},
		"of all tests": {leaksOf11, []Dumped{
			{
				Number: 8, State: "chan receive", Frames: []trace.Frame{{Func: "example.com/leak.wait", File: "/m/wait.go", Line: 12}},
				Creator: trace.Frame{Func: "example.com/leak.TestX", File: "/m/wait_test.go", Line: 9},
			},
			{
				Number: 21, State: "sleep", Frames: []trace.Frame{{Func: "time.Sleep", File: "/go/src/runtime/time.go", Line: 195}, {Func: "example.com/leak.nap", File: "/m/wait.go", Line: 20}},
				Creator: trace.Frame{Func: "example.com/leak.TestX", File: "/m/wait_test.go", Line: 10},
			},
		}},
	} {
		if diff := cmp.Diff(c.want, ParseLeaks(c.output)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
