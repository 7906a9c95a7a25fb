// Package lightbuild makes builds cheaper for tests than for use.
package lightbuild

import (
	"os"
	"os/exec"
	"strings"
)

// NoDWARF is a build flag: no test reads what a debugger would. Linking without is a third cheaper.
const NoDWARF = "-ldflags=-w"

// GOGC is the environment of go commands that collect garbage a quarter as often: a linker
// lives too short for it to be worth its time. Where what runs must collect as it does
// elsewhere, it is to be set otherwise.
const GOGC = "GOGC=400"

// Flags returns the GOFLAGS of who runs the tests, with what makes builds cheaper.
func Flags() string {
	// It may come from a file, which the variable hides.
	out, _ := exec.Command("go", "env", "GOFLAGS").Output()
	flags := strings.TrimSpace(string(out))
	if strings.Contains(flags, NoDWARF) {
		return flags
	}
	return strings.TrimSpace(flags + " " + NoDWARF)
}

// Use has all go commands build so that this process starts, and what they start.
func Use() {
	name, value, _ := strings.Cut(GOGC, "=")
	if _, ok := os.LookupEnv(name); !ok {
		os.Setenv(name, value)
	}
	os.Setenv("GOFLAGS", Flags())
}
