package runtime

const (
	fdebugGetpid = 39
)
