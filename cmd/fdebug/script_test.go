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

	"github.com/fdebug/fdebug/internal/lab/lightbuild"
)

var long = flag.Bool("long", false, "run the tests that take long: go test -run 'Long|Systems' -long")

// scriptsPerProc is how many scripts run in parallel on each processor.
const scriptsPerProc = 3

// longest are the long scripts that take longest. They begin first, so that none runs alone at
// the end.
var longest = []string{"hunt_settings", "hunt_race", "budget", "benign"}

// TestScript runs the scripts in testdata/script: those of commands that take seconds, and one
// for each way to use a command wrongly. With -short, it leaves out those that run tests with
// probes, because the runtime with probes needs a build of std.
func TestScript(t *testing.T) {
	t.Parallel()
	runScripts(t, scripts(t, "testdata/script"))
}

// TestLong runs the scripts in testdata/long: proofs by real processes, with a real disk, kill, budget or bundle. What
// else hunts is in testdata/hunts, and recorded: see TestHunts.
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
		// The last parallel subtest begins first.
		files = append(slices.Delete(files, at, at+1), name)
	}
	runScripts(t, files)
}

// TestSystems runs the scripts in testdata/systems: those that need an emulator, a cluster, a container or modules from
// elsewhere, divide many runs, or run the recipes of the documentation.
func TestSystems(t *testing.T) {
	if !*long {
		t.Skip("takes long: runs with -long")
	}
	t.Parallel()
	runScripts(t, scripts(t, "testdata/systems"))
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
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ci": ciCommand, "sameruns": sameRuns, "recipe": recipe, "slurm": slurmCommand, "database": databaseCommand,
			"proxy": proxyCommand, "doc": docCommand, "docker": dockerCommand, "zoo": zooCommand,
		},
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
			case "container":
				return runsContainers(t), nil
			case "ginkgo": // the module of its script
				return exec.Command("go", "mod", "download", "github.com/onsi/ginkgo/v2@v2.27.2").Run() == nil, nil
			case "cgo": // the race detector needs it on Linux
				return goEnv(t, "CGO_ENABLED")[0] == "CGO_ENABLED=1", nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			e.Vars = append(e.Vars, shardVars()...)
			// All scripts share shadow trees, because a new one needs a build of std.
			e.Vars = append(e.Vars, "XDG_CACHE_HOME="+cache, "GOTOOLCHAIN=local", "CI=", "NO_COLOR=", "REPO="+repository)
			disk := filepath.Join(e.WorkDir, "disk")
			e.Defer(func() { // a script that had mounted it has failed
				if _, err := os.Stat(disk); err == nil {
					exec.Command("umount", disk).Run()
				}
			})
			return nil
		},
	})
}

// canMount reports whether a small file system can be mounted. Not every container allows that,
// root or not.
func canMount(t *testing.T) bool {
	dir := t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=4k", "none", dir).Run() != nil {
		return false
	}
	return exec.Command("umount", dir).Run() == nil
}
