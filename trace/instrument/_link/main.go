// Command link is the linker of a shadow GOROOT. It runs the toolchain's own, with the GOROOT that
// the user knows: the linker writes it into the binary, as that of the files of std.
package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	if os.Getenv("GOROOT") != "" { // it is empty with -trimpath
		os.Setenv("GOROOT", goroot)
	}
	cmd := exec.Command(link, os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "fdebug:", err)
		os.Exit(2)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}
