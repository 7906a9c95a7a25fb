package instrument

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/lab/lightbuild"
)

var long = flag.Bool("long", false, "run the tests that take long: go test -run Long -long")

// The scripts call this test binary as the command "traced", so that each has an environment of
// its own.
func TestMain(m *testing.M) {
	testscript.Main(light{m}, map[string]func(){"traced": tracedMain})
}

// light runs tests with cheaper builds.
type light struct{ *testing.M }

func (l light) Run() int {
	lightbuild.Use()
	dir, err := os.MkdirTemp("", "instrument-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer os.RemoveAll(dir)
	features = &featureModule{dir: filepath.Join(dir, "features")}
	fixtures = builtFixtures{dir: dir, made: make(map[fixtureKey]*fixture)}
	return l.M.Run()
}

// TestScripts runs testdata/script. Each script is about one feature of Go or of its tools. One without a go.mod
// builds nothing (see featureModule). See tracedMain for their commands.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds test binaries")
	}
	runScripts(t, "testdata/script")
}

// TestLongScripts runs testdata/long: perturbations, each in many runs.
func TestLongScripts(t *testing.T) {
	if !*long {
		t.Skip("takes long: runs with -long")
	}
	runScripts(t, "testdata/long")
}

func runScripts(t *testing.T, dir string) {
	t.Parallel()
	env := scriptEnv(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.FromSlash(dir),
		UpdateScripts:       golden.Update(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			name := strings.TrimPrefix(filepath.Base(e.WorkDir), "script-")
			built, err := features.use(filepath.Join(filepath.FromSlash(dir), name+".txtar"))
			e.Vars = append(append(e.Vars, env...), built...)
			return err
		},
		Condition: condition,
	})
}

// scriptEnv is the environment of scripts: the user's caches, so that std is not built again, no
// network, and cheaper builds.
func scriptEnv(t *testing.T) []string {
	return []string{
		"GOCACHE=" + goEnv(t, "GOCACHE"),
		"GOMODCACHE=" + goEnv(t, "GOMODCACHE"),
		"GOFLAGS=-buildvcs=false " + lightbuild.NoDWARF,
		lightbuild.GOGC,
		"GOPROXY=off",
		"GOTOOLCHAIN=local",
		"GOTRACEBACK=single",
		"FDEBUG_FARMS=" + shadowCache(t),
	}
}

// shadowCache is the directory in which fdebug itself keeps its shadow GOROOTs.
func shadowCache(t *testing.T) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	return filepath.Join(dir, "fdebug")
}

func goEnv(t testing.TB, name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// condition knows [cgo] and [race]: whether the toolchain can build with them.
func condition(cond string) (bool, error) {
	switch cond {
	case "cgo", "race":
		return haveC(), nil
	}
	return false, nil
}

var haveC = sync.OnceValue(func() bool {
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) < 2 || fields[0] != "1" {
		return false
	}
	_, err = exec.LookPath(fields[1])
	return err == nil
})
