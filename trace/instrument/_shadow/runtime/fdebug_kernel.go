package runtime

import "internal/runtime/sys"

// Times that the kernel gives past package time. They go by the kernel's own clock, and a
// machine has one: with another one on time.Now, a program that puts the two side by side
// would fail by that alone. So who asks for them is noted.

// FdebugKernelTime notes that the calling goroutine asks the kernel for a time, or for one
// of a file if stat is true: that is noted of all but package os, whose times of files are
// made to fit. Who makes the system call may hold addresses of its stack as numbers, so that
// the stack must stay where it is.
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

// FdebugKernelPath notes that the calling goroutine opens or asks for a file below /proc, by
// the address of its name: what the kernel says there may be times. Below /proc/sys there are
// settings.
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

// fdebugByOS reports whether package os, or one that it is made of, makes a system call that
// was called from pc.
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

// fdebugCgo notes a call of C by a function at pc, but for those of the standard library:
// C reads the clock as it likes.
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
		for _, std := range [...]string{"net.", "os/user.", "runtime.", "runtime/", "crypto/", "plugin."} {
			if fdebugOf(name, std) {
				return
			}
		}
		fdebugNote(gp, fdebugActKernel)
	})
}

// FdebugFileAge notes that a program looks at the time of a file, as [FdebugFileTime] has
// made it, which was there before the clock was first read: nothing says how old it would be
// at another time.
func FdebugFileAge(t int64) {
	c := &fdebugClock
	since, shift := c.since.Load(), c.shift.Load()
	own := shift != 0 && since+shift-fdebugStale <= t && t <= fdebugWall()+shift
	if t < since-fdebugStale && !own && !fdebugInBubble() {
		FdebugKernelTime(false)
	}
}
