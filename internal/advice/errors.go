// Package advice has errors with hints on what to do about them. The command prints them as
//
//	fdebug: lower case, what, where
//	hint: what to do about it
package advice

import "fmt"

// An Error is an error with hints.
type Error struct {
	err   error
	Hints []string
}

func (e *Error) Error() string { return e.err.Error() }
func (e *Error) Unwrap() error { return e.err }

// With returns err with hints.
func With(err error, hints ...string) error { return &Error{err, hints} }

// Usagef returns the error for a mistake on the command line.
func Usagef(format string, args ...any) error {
	return fmt.Errorf(format, args...)
}
