package report

// How much of a dump is shown: its head and its tail.
const (
	dumpHead = 128 << 10
	dumpTail = 16 << 10
)
