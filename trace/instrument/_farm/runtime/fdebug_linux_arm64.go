package runtime

const (
	fdebugGetpid    = 172
	fdebugFallocate = 47
)
