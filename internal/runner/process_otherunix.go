//go:build unix && !linux

package runner

import "syscall"

// dieWithParent does nothing: this system has no such signal.
func dieWithParent(*syscall.SysProcAttr) {}

// programsOf returns nothing: there is no portable way to see which program a process runs.
func programsOf(string, int) []int { return nil }
