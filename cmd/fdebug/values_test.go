package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
)

// valueResult is the part of result.json that TestValues looks at.
type valueResult struct {
	Tests []struct {
		Test     string
		Failures []struct {
			Values []valueFound
			Data   []struct {
				Kind, Expr, Source string
				At                 valueAt
			}
		}
	}
}

type valueAt struct {
	File string
	Line int
}

type valueFound struct {
	Expr             string
	At               valueAt
	Passing, Failing []valueSeen
}

type valueSeen struct{ Value string }

// A valueCase is an example and the expectation for its values.
type valueCase struct {
	example    string
	expr       string // of the operand
	at         valueAt
	data       string // where the values first differ: expression
	source     string // of data
	dataAt     valueAt
	sure       bool
	pass, fail string // regular expressions for all values
}

// TestValues uses recorded runs of examples whose cause is in the data, and expects the operand
// that decided, and the place where chance enters. With -short it uses every other example.
func TestValues(t *testing.T) {
	for i, c := range []valueCase{
		paperValues,
		{example: "unordered", expr: "n", at: valueAt{"unordered/plan.go", 38}, source: "map order",
			data: "for step, n := range missing { if n == 0 { plan = append(plan, step) } }", dataAt: valueAt{"unordered/plan.go", 37}},
		{example: "floatingpoint", expr: "sum", at: valueAt{"floatingpoint/split.go", 24}, source: "map order",
			data: "for _, w := range s { sum += w }", dataAt: valueAt{"floatingpoint/split.go", 63}, pass: `^1$`, fail: `^(0\.9|1\.0)`},
		{example: "randomness", expr: "len(code)", at: valueAt{"randomness/invite.go", 73}, source: "math/rand/v2",
			data: "rand.Int64N(codeCount)", dataAt: valueAt{"randomness/invite.go", 67}, pass: "^4$", fail: "^[123]$"},
		{example: "fileio", expr: "name", at: valueAt{File: "fileio/table"},
			pass: `^("end"|nil)$`, fail: `^("requests|\*fmt.wrapError)`},
		{example: "clock", expr: "start.Equal(l.current)", at: valueAt{"clock/limiter.go", 35}, source: "the clock", pass: "^true$",
			data: "time.Now()", dataAt: valueAt{"clock/limiter.go", 32}},
	} {
		t.Run(c.example, func(t *testing.T) {
			if testing.Short() && i%2 != 0 {
				t.Skip("half of them are enough")
			}
			t.Parallel()
			c.check(t, recordedIn(t, "examples-"+c.example))
		})
	}
}

var paperValues = valueCase{
	example: "fdpaper", expr: "randomBtw0And99", at: valueAt{"fdpaper/rng.go", 9}, source: "math/rand/v2",
	data: "rand.IntN(100)", dataAt: valueAt{"fdpaper/rng.go", 8}, sure: true, pass: `^[1-4]?\d$`, fail: `^[5-9]\d$`,
}

// TestLongValues records values with the race detector.
func TestLongValues(t *testing.T) {
	if !*long {
		t.Skip("builds std with probes and the race detector: runs with -long")
	}
	t.Parallel()
	paperValues.check(t, runIn(t, t.TempDir(), "run", "./fdpaper", "-plain", "0", "-experiments", "0", "-n", "30", "-race"))
}

// check compares a result.json with the expectation for an example.
func (c valueCase) check(t *testing.T, data []byte) {
	t.Helper()
	r := new(valueResult)
	if err := json.Unmarshal(data, r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tests) != 1 || len(r.Tests[0].Failures) == 0 {
		t.Fatalf("got %+v, want one test", r.Tests)
	}
	f := r.Tests[0].Failures[0]
	checkValue(t, f.Values, c)
	if c.data == "" && len(f.Data) == 0 {
		return
	}
	if len(f.Data) != 1 || f.Data[0].Expr != c.data || f.Data[0].At != c.dataAt || f.Data[0].Source != c.source ||
		c.sure && f.Data[0].Kind != "value" {
		t.Errorf("the values first differ at %+v, want %s at %v, from %s", f.Data, c.data, c.dataAt, c.source)
	}
}

// checkValue looks for the expected operand.
func checkValue(t *testing.T, values []valueFound, c valueCase) {
	t.Helper()
	for _, v := range values {
		if v.Expr != c.expr || !strings.HasPrefix(v.At.File, c.at.File) || c.at.Line > 0 && v.At != c.at {
			continue
		}
		checkSeen(t, v.Expr+" in passing runs", v.Passing, c.pass)
		checkSeen(t, v.Expr+" in failing runs", v.Failing, c.fail)
		return
	}
	t.Errorf("values %+v, want those of %s", values, c.expr)
}

func checkSeen(t *testing.T, what string, seen []valueSeen, want string) {
	t.Helper()
	for _, s := range seen {
		if !regexp.MustCompile(want).MatchString(s.Value) {
			t.Errorf("%s was %s, want %s", what, s.Value, want)
		}
	}
}

// TestValuesNoise has a test that depends on a random number, and also uses map orders, clocks,
// channels and other random numbers that do not matter. Only the one that matters is named.
func TestValuesNoise(t *testing.T) {
	data, _ := recordedOf(t, "noise", map[string]string{"go.mod": "module example.com/noise\n\ngo 1.25\n", "noise_test.go": noiseTest}, "-n", "50")
	r := new(valueResult)
	if err := json.Unmarshal(data, r); err != nil {
		t.Fatal(err)
	}
	f := r.Tests[0].Failures[0]
	if len(f.Data) != 1 || f.Data[0].Expr != "rand.IntN(10)" || f.Data[0].At.Line != 34 || f.Data[0].Kind != "value" {
		t.Errorf("the values first differ at %+v, want rand.IntN(10) in line 34", f.Data)
	}
	if len(f.Values) != 1 || f.Values[0].Expr != "limit" {
		t.Errorf("values %+v, want those of limit", f.Values)
	}
}

const noiseTest = `package noise

import (
	"math/rand/v2"
	"testing"
	"time"
)

func sum(m map[string]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

func received() (n int) {
	c := make(chan int, 4)
	for i := range 4 {
		go func() { c <- i }()
	}
	for range 4 {
		n += <-c
	}
	return n
}

func TestNoise(t *testing.T) {
	if sum(map[string]int{"a": 1, "b": 2, "c": 3, "d": 4}) != 10 || received() != 6 {
		t.Fatal("sum")
	}
	if rand.IntN(1000) == 1001 || time.Since(time.Now()) > time.Hour {
		t.Fatal("never")
	}
	limit := rand.IntN(10)
	id := rand.Int64()
	if id != -1 && limit < 4 {
		t.Error("too low")
	}
}
`

// TestValuesReport runs the example of the FD paper, and checks what diverges, that the reports
// can be written again with the values, and that -values=false leaves them out.
func TestValuesReport(t *testing.T) {
	if testing.Short() {
		t.Skip("builds std with probes")
	}
	t.Parallel()
	out := t.TempDir()
	first := runIn(t, out, "run", "./fdpaper", "-n", "30", "-plain", "0", "-experiments", "0")
	checkPaper(t, first)
	again := runIn(t, out, "report")
	if !bytes.Contains(first, []byte(`"values"`)) || !bytes.Equal(first, again) {
		t.Errorf("result.json differs when it is written again:\n%s\nwas\n%s", again, first)
	}
	if got := runIn(t, t.TempDir(), "run", "./fdpaper", "-n", "20", "-plain", "0", "-experiments", "0", "-values=false"); bytes.Contains(got, []byte(`"values"`)) {
		t.Errorf("values with -values=false:\n%s", got)
	}
}

// runIn runs a command on the examples, and returns result.json.
func runIn(t *testing.T, out string, args ...string) []byte {
	t.Helper()
	return runAt(t, "../../examples", out, args...)
}

func runAt(t *testing.T, dir, out string, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append(append([]string{"-C", dir}, args...), "-o", out)
	a := &app{Console: &session.Console{Stdout: &stdout, Stderr: &stderr, Getenv: os.Getenv}, args: append([]string{"fdebug"}, args...)}
	if code := a.main(args); code != exit.Flaky {
		t.Fatalf("exit code %d, want %d\n%s%s", code, exit.Flaky, &stdout, &stderr)
	}
	if strings.Contains(stderr.String(), "warning") {
		t.Errorf("warnings:\n%s", &stderr)
	}
	data, err := os.ReadFile(filepath.Join(out, "latest", "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
