//go:build !unix

package inject

import (
	"os/exec"
	"time"
)

// group ends only the command itself.
func group(cmd *exec.Cmd) { cmd.WaitDelay = 5 * time.Second }
