package runtime

const (
	fdebugGetpid    = 39
	fdebugFallocate = 285
)
