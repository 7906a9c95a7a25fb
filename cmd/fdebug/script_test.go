package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdebug/fdebug/internal/lightbuild"
)

var long = flag.Bool("long", false, "run the tests that take long: go test -run Long -long")

// scriptsPerProc is how many scripts run side by side on each processor.
const scriptsPerProc = 3

// longest are those of the long scripts that take longest: they are begun first, so that none is left
// over in the end with nothing beside it.
var longest = []string{"hunt_settings", "ci", "slurm", "hunt_race", "shards_recipes", "hunt_limits", "budget_hang", "benign"}

// TestScript runs the scripts in testdata/script: those of commands that take seconds, and one
// for each way in which it can be used wrongly. With -short, those are left out that
// run tests with probes: the runtime with probes is a build of std.
func TestScript(t *testing.T) {
	t.Parallel()
	runScripts(t, scripts(t, "testdata/script"))
}

// TestLong runs the scripts in testdata/long: those that hunt, debug many tests or one after another,
// or run what the documentation says, for half a minute and more each.
func TestLong(t *testing.T) {
	if !*long {
		t.Skip("takes long: runs with -long")
	}
	t.Parallel()
	files := scripts(t, "testdata/long")
	for _, name := range slices.Backward(longest) {
		name = filepath.Join("testdata", "long", name+".txtar")
		at := slices.Index(files, name)
		if at < 0 {
			t.Fatalf("there is no %s", name)
		}
		// Of subtests that are parallel the last is begun first.
		files = append(slices.Delete(files, at, at+1), name)
	}
	runScripts(t, files)
}

// scripts returns the scripts of a directory.
func scripts(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	return files
}

func runScripts(t *testing.T, files []string) {
	env := goEnv(t, "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS")
	env = append(env, lightbuild.GOGC)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"ci": ciCommand, "sameruns": sameRuns, "recipe": recipe, "slurm": slurmCommand, "database": databaseCommand},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "postgres":
				return hasServer()
			case "slurm":
				return hasCluster()
			case "mount":
				return canMount(t), nil
			case "cgo": // what the race detector wants on Linux
				return goEnv(t, "CGO_ENABLED")[0] == "CGO_ENABLED=1", nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			e.Vars = append(e.Vars, shardVars()...)
			// Shadow trees are shared by all scripts: a new one costs a build of std.
			e.Vars = append(e.Vars, "XDG_CACHE_HOME="+cache, "GOTOOLCHAIN=local", "CI=", "NO_COLOR=")
			disk := filepath.Join(e.WorkDir, "disk")
			e.Defer(func() { // where a script failed that had mounted it
				if _, err := os.Stat(disk); err == nil {
					exec.Command("umount", disk).Run()
				}
			})
			return nil
		},
	})
}

// canMount reports whether a small file system can be mounted: not in every
// container, root or not.
func canMount(t *testing.T) bool {
	dir := t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=4k", "none", dir).Run() != nil {
		return false
	}
	return exec.Command("umount", dir).Run() == nil
}
