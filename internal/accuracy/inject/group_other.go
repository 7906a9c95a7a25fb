//go:build !unix

package inject

import (
	"os/exec"
	"time"
)

// group has only the command itself end.
func group(cmd *exec.Cmd) { cmd.WaitDelay = 5 * time.Second }
