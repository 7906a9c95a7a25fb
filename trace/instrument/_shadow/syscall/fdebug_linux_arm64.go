package syscall

// What arm64 has no system call for has numbers that are no one's.
const (
	fdebugTime = 1<<16 + iota
	fdebugStat
	fdebugLstat
	fdebugOpen
	fdebugFstatat = SYS_FSTATAT
	fdebugStatx   = 291
)
