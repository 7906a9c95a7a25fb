//go:build unix && !linux

package runner

import "syscall"

// dieWithParent does nothing: there is no such thing on this system.
func dieWithParent(*syscall.SysProcAttr) {}
