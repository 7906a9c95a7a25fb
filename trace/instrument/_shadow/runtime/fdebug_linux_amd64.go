package runtime

const (
	fdebugGetpid    = 39
	fdebugLseek     = 8
	fdebugFtruncate = 77
)
