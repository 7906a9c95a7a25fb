package slurmtest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestArray runs an array of three, and checks what each task is told.
func TestArray(t *testing.T) {
	if testing.Short() {
		t.Skip("starts daemons")
	}
	c, err := start()
	if errors.Is(err, ErrNone) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	dir := t.TempDir()
	script := "#!/bin/sh\necho $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT from $SLURM_ARRAY_TASK_MIN by $SLURM_ARRAY_TASK_STEP, restarted ${SLURM_RESTART_COUNT-never} >$SLURM_ARRAY_TASK_ID\n"
	if err := os.WriteFile(filepath.Join(dir, "job.sh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := c.command("sbatch", "--array=5-11:3", "job.sh")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for waiting := true; waiting; time.Sleep(50 * time.Millisecond) {
		out, err := c.command("squeue", "-h").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		waiting = len(out) > 0
	}
	for _, i := range []string{"5", "8", "11"} {
		got, err := os.ReadFile(filepath.Join(dir, i))
		if want := i + " of 3 from 5 by 3, restarted never"; err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}
