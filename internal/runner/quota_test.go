package runner

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestQuota(t *testing.T) {
	// A quarter of a processor: 25 ms in each 100 ms. Times are milliseconds.
	steps := []struct {
		name      string
		now, used int
		stopped   bool
	}{
		{"may use 25", 20, 20, false},
		{"has used 30, owes 5", 30, 30, true},
		{"waits for the next period", 90, 30, true},
		{"gets 25, less what it owes", 100, 30, false},
		{"has used 20 of them", 120, 50, true},
		{"gets 25 again", 200, 50, false},
		{"slept; what it did not use is lost", 610, 51, false},
		{"has used 25 of this period", 650, 76, true},
	}
	began := time.Unix(0, 0)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	q := newQuota(0.25, began)
	for _, s := range steps {
		if got := q.spent(began.Add(ms(s.now)), ms(s.used)); got != s.stopped {
			t.Errorf("%s: stopped is %v", s.name, got)
		}
	}
}

// A process that only computes is stopped again and again, and ends all the same.
func TestLimitTime(t *testing.T) {
	if !CanLimit {
		t.Skip("no quota on this system")
	}
	script := `i=0; while [ ! -e "$0" ]; do i=$((i+1)); done`
	file := t.TempDir() + "/end"
	proc, err := startProcess(command{Path: shell(t), Args: []string{"-c", script, file}, Output: os.Stderr, CPUs: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	defer proc.Kill()
	pid := proc.(*osProcess).cmd.Process.Pid
	for _, state := range []string{"T", "R", "T"} { // stopped, running, stopped
		for !strings.HasPrefix(stateOf(t, pid), state) {
			time.Sleep(time.Millisecond)
		}
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if exit, _, err := proc.Wait(); err != nil || exit.Code != 0 {
		t.Errorf("got %+v, %v", exit, err)
	}
}

func shell(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	return path
}

// stateOf returns the state of a process: proc_pid_stat(5).
func stateOf(t *testing.T, pid int) string {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return state
}
