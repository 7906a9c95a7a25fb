package runner

import (
	"fmt"
	"os/exec"
)

// busy is programs that compute beside a process.
type busy []*exec.Cmd

// busyLoop is one of them. It ends by itself if fdebug is killed and nobody else ends it.
const busyLoop = "ulimit -t 600; while :; do :; done"

// startBusy starts n of them. A quota stops all threads of a process alike; these take a processor
// from one thread and leave another one running. All have the same priority as the process: with a
// lower one, other load of the machine would slow only runs beside them.
func startBusy(n int) (list busy, err error) {
	for range n {
		cmd := exec.Command("sh", "-c", busyLoop)
		ownGroup(cmd)
		if err := cmd.Start(); err != nil {
			list.end()
			return nil, fmt.Errorf("starting a program to compute beside the test: %w", err)
		}
		list = append(list, cmd)
	}
	return list, nil
}

func (list busy) end() {
	for _, cmd := range list {
		killGroup(cmd.Process)
		cmd.Wait()
	}
}

// CanLoad reports whether processes can have a quota here, and programs that compute beside them.
func CanLoad() bool {
	_, err := exec.LookPath("sh")
	return canLimit && err == nil
}
