package runner

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const modulePath = "github.com/fdebug/fdebug"

// noDWARF makes test programs smaller. No test reads it, and it takes a fifth of each build.
const noDWARF = "-ldflags=-w"

// programs builds the test programs in testdata, each once.
type programs struct {
	out  string
	mu   sync.Mutex
	made map[string]*Binary
}

var progs programs

// testsPerProc is how many tests run in parallel on each processor.
const testsPerProc = 4

func TestMain(m *testing.M) {
	// Tests mostly wait, for limits and for sleeping processes. -parallel overrides this.
	if err := flag.Set("test.parallel", fmt.Sprint(testsPerProc*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "runner-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
		defer os.RemoveAll(dir)
		progs = programs{out: dir, made: make(map[string]*Binary)}
		return m.Run()
	}())
}

func (ps *programs) get(t *testing.T, name string) *Binary {
	t.Helper()
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if bin := ps.made[name]; bin != nil {
		return bin
	}
	b := Build{GoCmd: "go", Dir: ".", Out: ps.out, Flags: []string{noDWARF}}
	bin, err := b.Test(t.Context(), progTarget(t, name))
	if err != nil {
		t.Fatal(err)
	}
	ps.made[name] = bin
	return bin
}

func progTarget(t *testing.T, name string) Target {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return Target{ImportPath: modulePath + "/internal/runner/testdata/" + name, Dir: dir}
}

// newExec returns an Exec for the tests of a program that match run.
func newExec(t *testing.T, prog, run string) *Exec {
	t.Helper()
	return &Exec{
		Binary:  progs.get(t, prog),
		Select:  Selection{Run: run},
		Modules: []string{modulePath},
		Limit:   time.Minute,
	}
}

func mustRun(t *testing.T, x *Exec) *Run {
	t.Helper()
	run, err := x.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// render writes a run's outcomes as text, without what differs between runs.
func render(run *Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "exit: %v", run.Exit)
	if run.Exit.TimedOut {
		b.WriteString(", timed out")
	}
	b.WriteString("\n")
	for _, o := range run.Outcomes {
		fmt.Fprintf(&b, "%s: %s", orElse(o.Test, "(package)"), o.Status)
		if o.Nth > 0 {
			fmt.Fprintf(&b, " #%d", o.Nth)
		}
		if o.ByChild {
			b.WriteString(" by child")
		}
		if o.Shared {
			b.WriteString(" shared")
		}
		b.WriteString("\n")
		if o.Status.Failing() && !o.ByChild {
			fmt.Fprintf(&b, "    %s\n", o.Signature)
		}
	}
	for _, w := range run.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	return b.String()
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
