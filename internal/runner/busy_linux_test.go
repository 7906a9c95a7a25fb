package runner

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"
)

// Programs compute beside a process at its priority, and end with it.
func TestBeside(t *testing.T) {
	if !CanLoad() {
		t.Skip("no load on this system")
	}
	file := t.TempDir() + "/end"
	started, err := startProcess(command{Path: shell(t), Args: []string{"-c", `while [ ! -e "$0" ]; do sleep 0.01; done`, file}, Output: os.Stderr, Beside: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer started.Kill()
	p := started.(*osProcess)
	if len(p.busy) != 2 {
		t.Fatalf("%d programs, want 2", len(p.busy))
	}
	for _, b := range p.busy {
		for stateOf(t, b.Process.Pid)[0] != 'R' {
			time.Sleep(time.Millisecond)
		}
		own, _ := syscall.Getpriority(syscall.PRIO_PGRP, p.cmd.Process.Pid)
		if got, err := syscall.Getpriority(syscall.PRIO_PGRP, b.Process.Pid); err != nil || got != own {
			t.Errorf("priority %d, %v; want %d, as the process", got, err, own)
		}
	}
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if exit, _, err := p.Wait(); err != nil || exit.Code != 0 {
		t.Errorf("got %+v, %v", exit, err)
	}
	for _, b := range p.busy {
		if err := syscall.Kill(b.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("it goes on: %v", err)
		}
	}
}
