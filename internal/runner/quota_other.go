//go:build !linux

package runner

import (
	"errors"
	"os"
	"time"
)

// canLimit reports whether [limitTime] works here.
const canLimit = false

func processTime(*os.Process) (time.Duration, error) { return 0, errors.ErrUnsupported }

func stopGroup(*os.Process, bool) {}
