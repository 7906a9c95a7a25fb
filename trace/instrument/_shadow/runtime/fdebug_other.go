//go:build !linux

package runtime

// fdebugSize returns 0: no file is prepared for a process on this system.
func fdebugSize(fd int32) uintptr { return 0 }

// fdebugWorked returns the time. How long a thread has had a processor is known too roughly here,
// or not at all.
func fdebugWorked() int64 { return nanotime() }
