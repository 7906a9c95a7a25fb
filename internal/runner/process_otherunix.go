//go:build unix && !linux

package runner

import "syscall"

// dieWithParent does nothing: there is no such thing on this system.
func dieWithParent(*syscall.SysProcAttr) {}

// programsOf returns none: it is not known here what the processes of a group run.
func programsOf(string, int) []int { return nil }
