package instrument

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
)

// A script without a go.mod is about a feature of the language or of package testing, and no go command. Its files are
// the package m/NAME of one module, which is built once for all of them, plain and traced.
type featureModule struct {
	dir  string // of the module, the instrumented files and the binaries
	once sync.Once
	err  error
}

// features is the module. TestMain sets it.
var features *featureModule

// use returns the variables by which the commands of a script find what was built for it, if it is about a feature.
func (m *featureModule) use(script string) ([]string, error) {
	name := strings.TrimSuffix(filepath.Base(script), ".txtar")
	files, err := featureFiles(script)
	if err != nil || files == nil {
		return nil, err
	}
	m.once.Do(func() { m.err = m.build(filepath.Dir(script)) })
	return []string{"FEATURE=" + name, "FEATURES=" + m.dir}, m.err
}

// featureFiles returns the files of a script that has no go.mod, and nil for others.
func featureFiles(script string) (fs.FS, error) {
	a, err := txtar.ParseFile(script)
	if err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		if base := path.Base(f.Name); base == "go.mod" || base == "go.work" {
			return nil, nil
		}
	}
	return txtar.FS(a)
}

// build writes the packages of all scripts of a directory, and builds them with two go commands.
func (m *featureModule) build(scripts string) error {
	module := filepath.Join(m.dir, "m")
	list, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil {
		return err
	}
	var packages []string
	for _, script := range list {
		files, err := featureFiles(script)
		if err == nil && files != nil {
			name := strings.TrimSuffix(filepath.Base(script), ".txtar")
			packages = append(packages, "./"+name)
			err = os.CopyFS(filepath.Join(module, name), files)
		}
		if err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module m\n\ngo 1.24\n"), 0o666); err != nil {
		return err
	}
	plan, err := Prepare(context.Background(), Config{Dir: module, Patterns: packages, Out: filepath.Join(m.dir, "out")})
	if err != nil {
		return err
	}
	b := built{plan.Toolchain.GOROOT, plan.SitesPath, plan.Packages}
	tool := &scriptTool{builds: m.dir}
	for _, side := range []struct {
		name, goCmd string
		env, flags  []string
	}{{"plain", "go", nil, nil}, {"traced", plan.Shadow.Go(), plan.Shadow.Env(), plan.BuildFlags()}} {
		if err := link(module, side.goCmd, side.env, slices.Concat(side.flags, packages)); err != nil {
			return fmt.Errorf("%s: %w", side.name, err)
		}
		for i, p := range b.Packages {
			binary := filepath.Join(module, path.Base(p.ImportPath)+".test")
			if err := os.Rename(binary, tool.binary(side.name, i)); err != nil {
				return err
			}
		}
	}
	return tool.save(b)
}

// link builds test binaries into the directory of a module.
func link(module, goCmd string, env, args []string) error {
	args = append([]string{"test", "-c", "-vet=off", "-o", module + string(filepath.Separator)}, args...)
	cmd := exec.Command(goCmd, args...)
	cmd.Dir, cmd.Env = module, append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

// TestFeatures holds that most scripts build nothing.
func TestFeatures(t *testing.T) {
	list, err := filepath.Glob(filepath.FromSlash("testdata/script/*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, script := range list {
		files, err := featureFiles(script)
		if err != nil {
			t.Fatal(err)
		}
		if files != nil {
			n++
		}
	}
	if n*2 < len(list) {
		t.Errorf("%d of %d scripts are about features; the others build", n, len(list))
	}
}
