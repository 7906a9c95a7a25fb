//go:build unix

package poll

import "syscall"

// fdebugStream reports whether a read from fd may return any part of the data: whether fd is a
// stream socket. IsStream is too wide in package os, where everything pollable is a stream. An
// inotify descriptor, an eventfd or a socket that keeps records gives a whole record or an error.
// A read from a pipe returns as much as fits of what was written, and a write of at most PIPE_BUF
// bytes arrives at once (pipe(7)).
func (fd *FD) fdebugStream() bool {
	if !fd.IsStream || !fd.isFile {
		return fd.IsStream // package net has asked the system
	}
	var st syscall.Stat_t
	if !fd.pd.pollable() || syscall.Fstat(fd.Sysfd, &st) != nil {
		return false
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFSOCK {
		return false
	}
	kind, err := syscall.GetsockoptInt(fd.Sysfd, syscall.SOL_SOCKET, syscall.SO_TYPE)
	return err == nil && kind == syscall.SOCK_STREAM
}
