package main

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdebug/fdebug/internal/lab/lightbuild"
)

var versions = flag.String("versions", "", "versions of Go to test with, as in 1.24.13,1.27.4; the go command downloads what is missing")

// TestVersions debugs a flaky module, including values, with each version of Go, whatever version
// fdebug itself is built with.
func TestVersions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds std with probes")
	}
	t.Parallel()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	env := append(goEnv(t, "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS"), lightbuild.GOGC, "XDG_CACHE_HOME="+cache, "CI=", "NO_COLOR=")
	for _, v := range strings.Split(*versions, ",") {
		toolchain, language := "local", "1.24"
		if v != "" {
			toolchain, language = "go"+v, v
			haveToolchain(t, toolchain)
		}
		t.Run(toolchain, func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir: "testdata/versions",
				Setup: func(e *testscript.Env) error {
					e.Vars = append(append(e.Vars, env...), "GOTOOLCHAIN="+toolchain, "LANGUAGE="+language)
					return nil
				},
			})
		})
	}
}

// haveToolchain fails unless the go command has a toolchain, or can download it.
func haveToolchain(t *testing.T, name string) {
	t.Helper()
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+name)
	var progress strings.Builder // of a download
	cmd.Stderr = &progress
	if out, err := cmd.Output(); err != nil || strings.TrimSpace(string(out)) != name {
		t.Fatalf("%s can't be had: %v\n%s%s", name, err, progress.String(), out)
	}
}
