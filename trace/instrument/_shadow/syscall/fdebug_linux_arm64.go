package syscall

// System calls that arm64 does not have get unused numbers.
const (
	fdebugTime = 1<<16 + iota
	fdebugStat
	fdebugLstat
	fdebugOpen
	fdebugFstatat = SYS_FSTATAT
	fdebugStatx   = 291
)
