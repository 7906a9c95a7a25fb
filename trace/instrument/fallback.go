package instrument

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// moduleFiles is the probe runtime that needs no patched GOROOT.
//
//go:embed _module
var moduleFiles embed.FS

// The probe runtimes that [Config].Runtime can ask for.
const (
	// RuntimeShadow is part of package runtime in a [Shadow].
	RuntimeShadow = "shadow"
	// RuntimeModule is an ordinary package, which the overlay adds to the standard library or to
	// the main module. It works with every toolchain and on every system that can map files, but
	// it knows less: see fallbackLoss.
	RuntimeModule = "module"
)

// fallbackLoss lists what a report lacks without a shadow GOROOT.
var fallbackLoss = []string{
	"failed checks, panics and the end of goroutines are not recorded",
	"it is not known when goroutines waited, for what, or who made them go on",
	"goroutines are assigned to the tests and subtests whose functions have a *testing.T or *testing.F among their parameters; examples, and tests run by an uninstrumented suite, count as part of what started them",
	"goroutines that uninstrumented code starts at one place (an HTTP server's, say) are numbered in the order in which they first run instrumented code, not that of their start; timer goroutines have no parent",
	"nothing can be perturbed: runs cannot be held up, and random choices cannot be repeated",
}

// chooseRuntime chooses the probe runtime, and makes the shadow GOROOT if it is needed.
func (plan *Plan) chooseRuntime(make func() (*Shadow, error), wanted, goCmd string) error {
	plan.goCmd, plan.env = plan.Toolchain.command(goCmd), []string{"GOTOOLCHAIN=local"}
	switch wanted {
	case RuntimeModule:
		plan.Runtime = RuntimeModule
	case "", RuntimeShadow:
		shadow, err := make()
		if err == nil {
			plan.Runtime, plan.Shadow = RuntimeShadow, shadow
			plan.goCmd, plan.env = shadow.Go(), shadow.Env()
			plan.Warnings = append(plan.Warnings, shadow.Warnings...)
			return nil
		}
		if wanted == RuntimeShadow || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		plan.Runtime = RuntimeModule
		plan.Warnings = append(plan.Warnings,
			fmt.Errorf("the standard library cannot be patched, so that less is recorded: %w", err))
	default:
		return fmt.Errorf("no probe runtime is called %q", wanted)
	}
	for _, loss := range fallbackLoss {
		plan.Warnings = append(plan.Warnings, fmt.Errorf("without a patched standard library: %s", loss))
	}
	return nil
}

// command returns the toolchain's own go command, because the one called goCmd may switch to
// another toolchain.
func (tc *Toolchain) command(goCmd string) string {
	for _, name := range []string{"go", "go.exe"} {
		own := filepath.Join(tc.GOROOT, "bin", name)
		if fi, err := os.Stat(own); err == nil && fi.Mode().IsRegular() {
			return own
		}
	}
	return goCmd
}

// GoCmd returns the go command to build with.
func (plan *Plan) GoCmd() string { return plan.goCmd }

// Env returns the variables that the environment of [Plan.GoCmd] must have.
func (plan *Plan) Env() []string { return plan.env }

// BuildFlags returns the flags that go test -c needs after those of [Config].BuildFlags. The
// overlay named there includes the user's own. Coverage is turned off, because the cover command
// reads the user's files whatever the overlay says, and would drop the probes.
func (plan *Plan) BuildFlags() []string {
	flags := []string{"-overlay=" + plan.Overlay, "-vet=off"}
	if plan.covers {
		flags = append(flags, "-cover=false")
	}
	return append(flags, plan.lang...)
}

// addRuntime adds the fall-back runtime to the overlay and returns the path to import it by.
func (w *writer) addRuntime(pkgs []*listed) (importPath string, err error) {
	importPath, dir, err := w.plan.Toolchain.runtimePlace(pkgs)
	if err != nil {
		return "", err
	}
	out := filepath.Join(w.cfg.Out, "fdebugrt")
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", err
	}
	entries, err := moduleFiles.ReadDir("_module")
	if err != nil {
		return "", err
	}
	text, err := numbers("fdebugrt", "")
	add := func(name string) {
		to := filepath.Join(out, name)
		w.replace[filepath.Join(dir, name)] = to
		if err == nil {
			err = os.WriteFile(to, text, 0o666)
		}
	}
	add("numbers.go")
	for _, e := range entries {
		if err == nil {
			text, err = moduleFiles.ReadFile(path.Join("_module", e.Name()))
		}
		add(e.Name())
	}
	return importPath, err
}

// runtimePlace returns where the fall-back runtime seems to be. In the standard library every
// package may import it and no pattern matches it. But an overlay does not reach into the module
// cache, which contains the toolchains that the go command downloads: Go 1.24 ignores it there,
// Go 1.25 refuses it. In that case the runtime is a package of the main module.
func (tc *Toolchain) runtimePlace(pkgs []*listed) (importPath, dir string, err error) {
	if !tc.inModuleCache(tc.GOROOT) {
		return "fdebugrt", filepath.Join(tc.GOROOT, "src", "fdebugrt"), nil
	}
	for _, p := range pkgs {
		if m := p.Module; m != nil && m.Main && m.Dir != "" {
			h := fnv.New32a()
			h.Write([]byte(m.Path))
			name := fmt.Sprintf("zz_fdebugrt_%08x", h.Sum32())
			return path.Join(m.Path, name), filepath.Join(m.Dir, name), nil
		}
	}
	return "", "", ErrNoModule
}

// inModuleCache reports whether dir is below GOMODCACHE.
func (tc *Toolchain) inModuleCache(dir string) bool {
	return tc.GOMODCACHE != "" && strings.HasPrefix(dir, tc.GOMODCACHE+string(filepath.Separator))
}
