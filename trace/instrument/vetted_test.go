package instrument

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// checks are the checks of go vet that go test makes.
var checks = strings.Fields(
	"-atomic -bool -buildtags -directive -errorsas -ifaceassert -nilfunc -printf -stringintconv -tests")

// TestVetted checks that each check of go vet that go test makes sees through the probes: it
// finds the same in the files with probes as in the user's, in the same lines. That what go vet objects
// to is not run is for the script run_build_error of cmd/fdebug.
func TestVetted(t *testing.T) {
	if testing.Short() {
		t.Skip("type checks std with probes")
	}
	t.Parallel()
	ar, err := txtar.ParseFile("testdata/vetted.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range ar.Files {
		writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	plan, err := Prepare(context.Background(), Config{
		Dir: dir, Patterns: []string{"./..."}, Out: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	plain, traced := vet(dir, "go", nil, nil), vet(dir, plan.Shadow.Go(), plan.Shadow.Env(), []string{"-overlay=" + plan.Overlay})
	if len(plain) != len(checks) {
		t.Errorf("go vet objects to %q, want one for each of %d checks", plain, len(checks))
	}
	if !slices.Equal(traced, plain) {
		t.Errorf("with probes, go vet objects to %q, without to %q", traced, plain)
	}
}

var objection = regexp.MustCompile(`x_test\.go(:\d+)(?::\d+)?(: .*)`)

// vet returns the objections of go vet: the line and the words. With an overlay it names other
// files, and columns differ.
func vet(dir, goCmd string, env, flags []string) []string {
	cmd := exec.Command(goCmd, slices.Concat([]string{"vet"}, checks, flags, []string{"./..."})...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, _ := cmd.CombinedOutput() // it objects, so it fails
	var found []string
	for _, m := range objection.FindAllStringSubmatch(string(out), -1) {
		found = append(found, m[1]+m[2])
	}
	slices.Sort(found)
	return found
}
