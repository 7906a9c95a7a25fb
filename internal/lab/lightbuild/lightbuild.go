// Package lightbuild makes builds cheaper, for tests.
package lightbuild

import (
	"os"
	"os/exec"
	"strings"
)

// NoDWARF is a build flag. No test reads what a debugger needs, and linking without it costs a
// third less.
const NoDWARF = "-ldflags=-w"

// GOGC is the environment variable that makes go commands collect garbage a quarter as often,
// because a linker is too short-lived for it to pay. Set it back for code that must collect
// garbage as usual.
const GOGC = "GOGC=400"

// Flags returns the user's GOFLAGS, with flags that make builds cheaper.
func Flags() string {
	// GOFLAGS may come from a file, which the variable hides.
	out, _ := exec.Command("go", "env", "GOFLAGS").Output()
	flags := strings.TrimSpace(string(out))
	if strings.Contains(flags, NoDWARF) {
		return flags
	}
	return strings.TrimSpace(flags + " " + NoDWARF)
}

// Use makes all go commands that this process starts, directly or indirectly, build like that.
func Use() {
	name, value, _ := strings.Cut(GOGC, "=")
	if _, ok := os.LookupEnv(name); !ok {
		os.Setenv(name, value)
	}
	os.Setenv("GOFLAGS", Flags())
}
