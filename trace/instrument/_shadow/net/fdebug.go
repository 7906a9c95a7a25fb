package net

import (
	"os"
	"runtime"
	"syscall"
)

// fdebugUnreachable returns an error if the plan makes name servers unreachable, even one on this
// machine, because it would ask others. It returns nil otherwise, and if r has its own Dial.
func fdebugUnreachable(r *Resolver, network string) error {
	if r != nil && r.Dial != nil || !runtime.FdebugOffline() {
		return nil
	}
	return &OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ENETUNREACH)}
}
