package runtime

// The network, and the directories that the environment names. They belong to the whole process:
// a goroutine of net/http may dial, and a variable may be read before the first test. So requests
// are attributed to the last block of the user's code that led there.

//fdebug:lost the network cannot be taken away
//fdebug:patch syscall/syscall_unix.go func Connect(fd int, sa Sockaddr) (err error) {{+
//	if fdebugOffline(sa) { return ENETUNREACH };
//	if runtime.FdebugClocked() && fdebugLeaves(sa) { runtime.FdebugMeet() };+}
//fdebug:patch syscall/syscall_unix.go func sendtoInet4(fd int, p []byte, flags int, to *SockaddrInet4) (err error) {{+
//	if fdebugOffline(to) { return ENETUNREACH };+}
//fdebug:patch syscall/syscall_unix.go func sendtoInet6(fd int, p []byte, flags int, to *SockaddrInet6) (err error) {{+
//	if fdebugOffline(to) { return ENETUNREACH };+}
//fdebug:patch syscall/syscall_unix.go func sendmsgNInet4(fd int, p, oob []byte, to *SockaddrInet4, flags int) (n int,
//	err error) {{+ if fdebugOffline(to) { return 0, ENETUNREACH };+}
//fdebug:patch syscall/syscall_unix.go func sendmsgNInet6(fd int, p, oob []byte, to *SockaddrInet6, flags int) (n int,
//	err error) {{+ if fdebugOffline(to) { return 0, ENETUNREACH };+}
//fdebug:patch net/lookup.go func (r *Resolver) dial(ctx context.Context, network, server string) (Conn, error) {{+
//	if err := fdebugUnreachable(r, network); err != nil { return nil, err };+}
//fdebug:patch net/conf.go func (c *conf) mustUseGoResolver(r *Resolver) bool {{+
//	if runtime.FdebugOffline() { return true };+}

//fdebug:lost who depends on TMPDIR and HOME is not known
//fdebug:patch syscall/env_unix.go func Getenv(key string) (value string, found bool) {{+ runtime.FdebugGetenv(key);+}
//fdebug:patch syscall/exec_windows.go func StartProcess(argv0 string, argv []string, attr *ProcAttr) (pid int, handle
//	uintptr, err error) {{+ runtime.FdebugFork();+}
//fdebug:patch syscall/exec_unix.go func forkExec(argv0 string, argv []string, attr *ProcAttr) (pid int, err error) {{+
//	runtime.FdebugFork();+}

// fdebugCutOff reports whether only the machine itself can be reached.
var fdebugCutOff bool

// FdebugOffline reports whether addresses of other machines are unreachable, and notes that the
// calling goroutine dials one or looks a name up. If it is of interest, package net looks names
// up itself, so that its requests are seen.
func FdebugOffline() bool {
	return fdebugSet[fdebugActLimits] && fdebugNoted(fdebugActNetwork) && fdebugCutOff
}

// FdebugLimited reports whether requests to the machine around the program matter.
func FdebugLimited() bool { return fdebugSet[fdebugActLimits] }

// FdebugGetenv notes that the calling goroutine reads the name of a directory.
func FdebugGetenv(key string) {
	if fdebugSet[fdebugActLimits] {
		fdebugGetenv(key)
	}
}

func fdebugGetenv(key string) {
	switch key {
	case "TMPDIR":
		fdebugNoted(fdebugActTemp)
	case "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME":
		fdebugNoted(fdebugActHome)
	}
}

// FdebugFork notes that the calling goroutine starts a process, which inherits the variables and
// has its own clock.
func FdebugFork() {
	if fdebugSet[fdebugActLimits] || fdebugClocked {
		fdebugFork()
	}
}

func fdebugFork() {
	if fdebugSet[fdebugActLimits] {
		fdebugNoted(fdebugActTemp)
		fdebugNoted(fdebugActHome)
	}
	fdebugNoted(fdebugActProcess)
}

// FdebugMeet notes that the calling goroutine contacts another process, which has its own clock.
func FdebugMeet() { fdebugNoted(fdebugActProcess) }

// fdebugNoted notes that the calling goroutine makes a request of a kind, and reports whether it is
// recorded.
func fdebugNoted(kind uint32) bool {
	gp := getg()
	return gp.m.curg == gp && fdebugTracing() && (fdebugSet[fdebugActLimits] || fdebugClocked) && fdebugNote(gp, kind)
}

// fdebugNote is fdebugNoted for gp. It may run on g0.
func fdebugNote(gp *g, kind uint32) bool {
	d := &gp.fdebug
	if fdebugFile.state.Load() != fdebugOn {
		return false
	}
	fdebugDrawTable.count(kind, d.asking(), d.class)
	return true
}

// asking returns the last block of d. If d has none, it returns the last block of the goroutine
// that started it, at that time.
func (d *fdebugG) asking() uint32 {
	if block := d.last(); block != 0 && block>>31 == 0 {
		return block
	}
	return d.asker
}
