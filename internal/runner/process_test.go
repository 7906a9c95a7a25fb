//go:build unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/golden"
)

// TestProcesses executes programs that end in every possible way.
func TestProcesses(t *testing.T) {
	const want = "testdata/process.txtar"
	for _, run := range []string{
		"TestPass|TestFail|TestSkip|TestSilent", "TestSub", "TestParallel$", "TestHelper",
		"TestPanic$|TestAfter", "TestPass|TestPanicElsewhere|TestAfter", "TestPanicNil",
		"TestParallelPanic", "TestExit$|TestAfter", "TestExitZero", "TestLogFatal", "TestFatalError",
		"TestDeadlock|TestAfter", "TestStackOverflow", "TestPass|TestKilled|TestAfter",
		"TestBytes", "TestForged", "TestReexec", "Example|FuzzSeed", "NoSuchTest",
	} {
		t.Run(run, func(t *testing.T) {
			t.Parallel()
			x := newExec(t, "prog", run)
			x.Select.Parallel = 4 // on one processor too
			golden.Section(t, want, run, render(mustRun(t, x)))
		})
	}
	for _, how := range []string{"", "init", "before", "after", "none"} {
		t.Run("main-"+how, func(t *testing.T) {
			t.Parallel()
			x := newExec(t, "main", "")
			x.Env = append(x.environ(), "PROG_MAIN="+how)
			golden.Section(t, want, "main-"+how, render(mustRun(t, x)))
		})
	}
}

// TestLimit has processes that exceed the limit: one leaves a goroutine dump, one ignores
// SIGQUIT, one hangs before any test.
func TestLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const want = "testdata/limit.txtar"
	for _, c := range []struct{ name, prog, run, main string }{
		{"hang", "prog", "TestPass|TestHang$|TestAfter", ""},
		{"deaf", "prog", "TestHangDeaf", ""},
		{"main", "main", "", "hang"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newExec(t, c.prog, c.run)
			x.Env = append(x.environ(), "PROG_MAIN="+c.main)
			x.Limit, x.Grace = 3*time.Second, 30*time.Second
			if c.name == "deaf" {
				x.Grace = 500 * time.Millisecond
			}
			run := mustRun(t, x)
			golden.Section(t, want, c.name, render(run))
			dump := run.Outcomes[max(0, len(run.Outcomes)-2)].Dump
			if has := strings.Contains(dump, "goroutine "); has != (c.name != "deaf") {
				t.Errorf("goroutine dump there: %v:\n%s", has, dump)
			}
		})
	}
}

// TestTimeoutFlag lets the binary limit itself.
func TestTimeoutFlag(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	const want = "testdata/timeout.txtar"
	x := newExec(t, "prog", "TestPass|TestHang$|TestAfter")
	x.Select.Timeout = 3 * time.Second
	golden.Section(t, want, "timeout", render(mustRun(t, x)))
}

// TestOrphans leaves processes behind: one in the group, which is killed, and one that left the
// group and holds the output, which is abandoned.
func TestOrphans(t *testing.T) {
	pid := func(run *Run, word string) int {
		m := regexp.MustCompile(word + ` (\d+)`).FindStringSubmatch(run.Outcomes[0].Output)
		if m == nil {
			t.Fatalf("no %s in %q", word, run.Outcomes[0].Output)
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	x := newExec(t, "prog", "TestOrphan")
	x.waitDelay = 30 * time.Second
	run := mustRun(t, x)
	if len(run.Warnings) != 0 {
		t.Errorf("unexpected warnings: %q", run.Warnings)
	}
	for orphan := pid(run, "orphan"); !gone(orphan); {
		time.Sleep(10 * time.Millisecond) // the system takes its time
	}
	x = newExec(t, "prog", "TestRunaway")
	x.waitDelay = 100 * time.Millisecond
	run = mustRun(t, x)
	if len(run.Warnings) != 1 || !strings.Contains(run.Warnings[0], "kept the output open") {
		t.Errorf("got warnings %q", run.Warnings)
	}
	syscall.Kill(pid(run, "runaway"), syscall.SIGKILL)
}

// gone reports whether a process has ended. In a container without an init process it may stay a
// zombie forever.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// TestQuitThroughCommand starts the tests through a shell, which doesn't forward signals.
func TestQuitThroughCommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no way to see which program a process runs")
	}
	t.Parallel()
	x := newExec(t, "prog", "TestHang$")
	x.Select.Exec = []string{"sh", "-c", `"$0" "$@"; exit $?`}
	x.Limit = time.Second
	run := mustRun(t, x)
	if !run.Exit.TimedOut || !strings.Contains(render(run), "timed out, blocked in chan receive") {
		t.Errorf("no goroutine dump came: %s", render(run))
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("enough")
	x := newExec(t, "prog", "TestPass|TestHang$")
	time.AfterFunc(time.Second, func() { cancel(reason) })
	run, err := x.Run(ctx)
	if !errors.Is(err, reason) {
		t.Fatalf("got error %v", err)
	}
	if run.Outcome("TestPass") != nil && run.Outcome("TestPass").Status != Passed {
		t.Errorf("got %s", render(run))
	}
	if run.Wall > 30*time.Second {
		t.Errorf("it took %v", run.Wall)
	}
}
