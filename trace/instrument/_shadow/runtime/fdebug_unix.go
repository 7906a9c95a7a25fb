//go:build unix

package runtime

import "unsafe"

// What the probe runtime asks of Unix. The file for Windows has the same functions.

const (
	fdebugToRead   = fdebugCloexec
	fdebugToWrite  = fdebugCloexec | fdebugReadWrite // to an existing file
	fdebugToCreate = fdebugToWrite | _O_CREAT | fdebugExclusive
)

// open opens the file. It returns a negative number if it cannot.
func (b *fdebugPath) open(how int32) int32 { return open(&b[0], how, 0o644) }

// fdebugOpenPlan opens the file of the plan, if the environment names one. The runtime has no
// list of the variables yet.
func fdebugOpenPlan() int32 {
	for i := argc + 1; ; i++ {
		p := argv_index(argv, i)
		if p == nil {
			return -1
		}
		if fdebugOf(unsafe.String(p, findnull(p)), fdebugPlanEnv) {
			return open((*byte)(add(unsafe.Pointer(p), uintptr(len(fdebugPlanEnv)))), fdebugToRead, 0)
		}
	}
}

// fdebugIsNamed reports whether the executable has the base name want.
func fdebugIsNamed(want string) bool {
	if argc == 0 {
		return false
	}
	arg := argv_index(argv, 0)
	self := unsafe.String(arg, findnull(arg))
	for i := len(self); i > 0; i-- {
		if self[i-1] == '/' {
			return self[i:] == want
		}
	}
	return self == want
}

func fdebugReadFile(fd int32, p unsafe.Pointer, n int32) int32 { return read(fd, p, n) }

func fdebugClose(fd int32) { closefd(fd) }

// fdebugMapPart maps n bytes of the file, and returns 0 if it cannot.
func fdebugMapPart(fd int32, off, n uintptr) uintptr {
	p, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, fdebugMapShared, fd, uint32(off))
	if err != 0 {
		return 0
	}
	return uintptr(p)
}

func fdebugUnmap(p, n uintptr) { munmap(unsafe.Pointer(p), n) }

// fdebugMemory returns n zero bytes, before anything can be allocated. It returns nil if there
// are none.
func fdebugMemory(n uintptr) unsafe.Pointer {
	p, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
	if err != 0 {
		return nil
	}
	return p
}

// fdebugTime returns the time for the records of the trace.
func fdebugTime() int64 { return nanotime() }

// fdebugAside gives fd a high number: programs count file descriptors, print them, and close
// those they take for their own.
func fdebugAside(fd int32) int32 {
	high, _ := fcntl(fd, fdebugDupCloexec, 1000)
	if high < 0 {
		return fd
	}
	closefd(fd)
	return high
}

// fdebugQuit ends the process as SIGQUIT does.
func fdebugQuit() {
	raise(_SIGQUIT)
	exit(2) // it was handled otherwise
}
