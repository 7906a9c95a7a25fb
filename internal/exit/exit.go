// Package exit names the exit codes of the commands, as help/run.txt documents them.
package exit

import "slices"

const (
	OK          = 0
	Flaky       = 1 // something was found
	Usage       = 2
	Trouble     = 3
	Interrupted = 130
)

// Of returns the code of a command to which several things happened that have a code each. What was found is told, even
// if something else went wrong.
func Of(codes ...int) int {
	for _, code := range []int{Usage, Interrupted, Flaky, Trouble} {
		if slices.Contains(codes, code) {
			return code
		}
	}
	return OK
}

// If returns a code for what happened, else OK.
func If(happened bool, code int) int {
	if happened {
		return code
	}
	return OK
}
