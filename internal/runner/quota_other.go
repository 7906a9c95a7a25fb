//go:build !linux

package runner

import (
	"errors"
	"os"
	"time"
)

// CanLimit reports whether [limitTime] works here.
const CanLimit = false

func processTime(*os.Process) (time.Duration, error) { return 0, errors.ErrUnsupported }

func stopGroup(*os.Process, bool) {}
