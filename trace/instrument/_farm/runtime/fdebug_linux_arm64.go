package runtime

const (
	fdebugGetpid = 172
)
