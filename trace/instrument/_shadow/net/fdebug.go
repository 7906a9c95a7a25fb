package net

import (
	"os"
	"runtime"
	"syscall"
)

// fdebugUnreachable returns the error of a name server that can't be reached, also where it
// is on this machine and would ask others; nil if it can be, or if r has a way of its own.
func fdebugUnreachable(r *Resolver, network string) error {
	if r != nil && r.Dial != nil || !runtime.FdebugOffline() {
		return nil
	}
	return &OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
}
