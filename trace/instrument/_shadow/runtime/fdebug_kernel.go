package runtime

import "internal/runtime/sys"

// Times that the kernel gives, bypassing package time. They follow the kernel's own clock. If
// time.Now followed another one, a program that compares the two would fail for that reason
// alone. So readers of kernel times are noted.

//fdebug:lost what the clock says, and when timers fire, cannot be varied
//fdebug:patch os/types_unix.go func (fs *fileStat) ModTime() time.Time {{+
//	if runtime.FdebugClocked() { runtime.FdebugFileAge(fs.modTime.UnixNano()) };+} return fs.modTime }
//fdebug:patch os/types_unix.go func (fs *fileStat) Sys() any {{+ runtime.FdebugKernelTime(false);+} return &fs.sys }
//fdebug:patch os/types_windows.go func (fs *fileStat) Sys() any {{+ runtime.FdebugKernelTime(false);+}
//fdebug:patch syscall/zsyscall_windows.go func GetSystemTimeAsFileTime(time *Filetime) {{+
//	runtime.FdebugKernelTime(false);+}
//fdebug:patch syscall/zsyscall_windows.go func GetFileAttributesEx(name *uint16, level uint32, info *byte) (err error)
//	{{+ runtime.FdebugKernelTime(true);+}
//fdebug:patch syscall/zsyscall_windows.go func GetFileInformationByHandle(handle Handle, data
//	*ByHandleFileInformation) (err error) {{+ runtime.FdebugKernelTime(true);+}
//fdebug:patch syscall/syscall_linux_amd64.go func Gettimeofday(tv *Timeval) (err error) {{+
//	runtime.FdebugKernelTime(false);+}
//fdebug:patch syscall/syscall_linux_amd64.go func Time(t *Time_t) (tt Time_t, err error) {{+
//	runtime.FdebugKernelTime(false);+}
//fdebug:patch syscall/zsyscall_darwin_amd64.go,syscall/zsyscall_darwin_arm64.go func Stat(path string, stat *Stat_t)
//	(err error) {{+ runtime.FdebugKernelTime(true);+}
//fdebug:patch syscall/zsyscall_darwin_amd64.go,syscall/zsyscall_darwin_arm64.go func Lstat(path string, stat *Stat_t)
//	(err error) {{+ runtime.FdebugKernelTime(true);+}
//fdebug:patch syscall/zsyscall_darwin_amd64.go,syscall/zsyscall_darwin_arm64.go func Fstat(fd int, stat *Stat_t) (err
//	error) {{+ runtime.FdebugKernelTime(true);+}
//fdebug:patch syscall/zsyscall_darwin_amd64.go,syscall/zsyscall_darwin_arm64.go func Gettimeofday(tp *Timeval) (err
//	error) {{+ runtime.FdebugKernelTime(false);+}
//fdebug:patch runtime/cgocall.go func cgocall(fn, arg unsafe.Pointer) int32 {{+
//	if fdebugClocked || !fdebugForeign { fdebugCgo(sys.GetCallerPC()) };+}

// FdebugKernelTime notes that the calling goroutine asks the kernel for a time, or for that of a
// file if stat is true. Package os is exempt from the latter, because its file times are
// adjusted. The caller may hold addresses of its stack as numbers, so the stack must not move.
//
//go:nosplit
func FdebugKernelTime(stat bool) {
	gp := getg()
	if !fdebugClocked || gp.m.curg != gp {
		return
	}
	pc, sp := sys.GetCallerPC(), sys.GetCallerSP()
	systemstack(func() {
		if stat && fdebugByOS(gp, pc, sp) {
			return
		}
		fdebugNote(gp, fdebugActKernel)
	})
}

// FdebugKernelPath notes that the calling goroutine opens or stats a file below /proc. name is
// the address of the file's name. The files there may contain times, except the settings below
// /proc/sys.
//
//go:nosplit
func FdebugKernelPath(name *byte) {
	gp := getg()
	if !fdebugClocked || gp.m.curg != gp || name == nil {
		return
	}
	systemstack(func() {
		s := gostringnocopy(name)
		if s == "/proc" || fdebugOf(s, "/proc/") && !fdebugOf(s, "/proc/sys/") {
			fdebugNote(gp, fdebugActKernel)
		}
	})
}

// fdebugByOS reports whether package os, or a package it is built on, makes the system call that
// returns to pc.
func fdebugByOS(gp *g, pc, sp uintptr) bool {
	var u unwinder
	for u.initAt(pc, sp, 0, gp, unwindSilentErrors); u.valid(); u.next() {
		iu, uf := newInlineUnwinder(u.frame.fn, u.symPC())
		for ; uf.valid(); uf = iu.next(uf) {
			name := iu.srcFunc(uf).name()
			if fdebugOf(name, "syscall.") || fdebugOf(name, "golang.org/x/sys/unix.") {
				continue
			}
			return fdebugOf(name, "os.") || fdebugOf(name, "internal/")
		}
	}
	return false
}

func fdebugOf(name, prefix string) bool {
	return len(name) > len(prefix) && name[:len(prefix)] == prefix
}

// fdebugCgo notes a call of C by the function at pc, except in the standard library, because C
// reads the clock as it likes, and may start threads. On Windows package syscall calls the system in this way.
//
//go:nosplit
func fdebugCgo(pc uintptr) {
	gp := getg()
	if gp.m.curg != gp {
		return
	}
	systemstack(func() {
		fn := findfunc(pc)
		if !fn.valid() {
			return
		}
		name := funcname(fn)
		for _, std := range [...]string{"net.", "os/user.", "runtime.", "runtime/", "crypto/", "plugin.", "syscall."} {
			if fdebugOf(name, std) {
				return
			}
		}
		fdebugForeign = true
		if fdebugClocked {
			fdebugNote(gp, fdebugActKernel)
		}
	})
}

// FdebugFileAge notes that a program reads t, the time of a file as [FdebugFileTime] has made it,
// if the file is from before the first reading of the clock. Nothing says how old it would be at
// another time.
func FdebugFileAge(t int64) {
	c := &fdebugClock
	since, shift := c.since.Load(), c.shift.Load()
	own := shift != 0 && since+shift-fdebugStale <= t && t <= fdebugWall()+shift
	if t < since-fdebugStale && !own && !fdebugInBubble() {
		FdebugKernelTime(false)
	}
}
