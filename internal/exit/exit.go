// Package exit names the exit codes of the commands, as help/run.txt documents them.
package exit

const (
	OK          = 0
	Flaky       = 1 // something was found
	Usage       = 2
	Trouble     = 3
	Interrupted = 130
)
