package poll

import "syscall"

// fdebugStream reports whether what is read from fd is a stream of bytes, of which a read
// may return any part: a stream socket, or a pipe. Package os takes everything that can be
// waited for for one, but what inotify, an eventfd or a socket that keeps records gives is
// whole or an error. (Of a pipe that keeps packets, O_DIRECT of pipe(2), the end that is
// read does not say so.)
func (fd *FD) fdebugStream() bool {
	if !fd.IsStream || !fd.isFile {
		return fd.IsStream // package net has asked the system
	}
	var st syscall.Stat_t
	if !fd.pd.pollable() || syscall.Fstat(fd.Sysfd, &st) != nil {
		return false
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFSOCK:
		kind, err := syscall.GetsockoptInt(fd.Sysfd, syscall.SOL_SOCKET, syscall.SO_TYPE)
		return err == nil && kind == syscall.SOCK_STREAM
	case syscall.S_IFIFO:
		return true
	}
	return false
}
