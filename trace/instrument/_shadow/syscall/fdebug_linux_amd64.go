package syscall

const (
	fdebugTime    = SYS_TIME
	fdebugStat    = SYS_STAT
	fdebugLstat   = SYS_LSTAT
	fdebugOpen    = SYS_OPEN
	fdebugFstatat = SYS_NEWFSTATAT
	fdebugStatx   = 332
)
