package runner

import "syscall"

// dieWithParent has the process killed when this one ends, however it does: a
// test that hangs would otherwise outlive a killed fdebug. It holds for the
// process itself only, not for what that starts.
//
// The system's parent is the thread that started it. Threads of a Go program
// end only with a goroutine that is locked to one, and here there is none.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
