package trace

import (
	"errors"
	"fmt"
	"io/fs"
)

// Errors of reading trace files and sites tables. They come wrapped in an
// error that names the file: "trace: run-7.fdt: not an fdebug trace".
var (
	ErrNotTrace = errors.New("not an fdebug trace")
	// ErrEmpty says that the process ended before its trace began, or that there
	// was no room for one.
	ErrEmpty = errors.New("empty trace: the process ended before it could write one, or the disk is full")
	// ErrVersion says that the file has a format that this version can't read.
	ErrVersion = errors.New("trace of another version")
	// ErrDamaged says that a file is not what was written. Reading a raw trace never returns it:
	// what can be read is returned, and Trace.Truncated says what is missing.
	ErrDamaged  = errors.New("damaged trace")
	ErrNotSites = errors.New("not an fdebug sites table")
	// ErrNotKept is returned for a chunk whose events were not kept, only their hash.
	ErrNotKept = errors.New("trace: chunk content was not kept")
)

// damaged returns an ErrDamaged that says what is wrong.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// inFile says that err is about the file at path, in a [fs.PathError].
func inFile(path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "trace:", Path: path, Err: err}
}
