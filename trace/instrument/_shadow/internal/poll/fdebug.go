package poll

import "syscall"

// fdebugStream reports whether what is read from fd is a stream of bytes, of which a read
// may return any part: a stream socket. Package os takes everything that can be waited for
// for one, but what inotify, an eventfd or a socket that keeps records gives is whole or an
// error, and of a pipe a read takes all that fits of what was written: a write of at most
// PIPE_BUF bytes is there at once (pipe(7)).
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
