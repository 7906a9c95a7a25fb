package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/trace/instrument"
)

// A variant is one way to build the kernels.
type variant struct {
	name   string
	flags  []string
	traced string // probe runtime, "" for a build without probes
	idle   bool   // without a trace file: what remains are the probes themselves
	bin    string
}

func variants() []*variant {
	return []*variant{
		{name: "plain"},
		{name: "count", flags: []string{"-covermode=count"}},
		{name: "atomic", flags: []string{"-covermode=atomic"}},
		{name: "race", flags: []string{"-race"}},
		{name: "traced", traced: instrument.RuntimeFarm},
		{name: "idle", traced: instrument.RuntimeFarm, idle: true},
		{name: "fallback", traced: instrument.RuntimeModule},
	}
}

// kernelDir returns the directory of the kernels, a module of its own: they are
// built as any user's package would be.
func kernelDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-f={{.Dir}}", "github.com/fdebug/fdebug/internal/bench").Output()
	if err != nil {
		return "", fmt.Errorf("bench must run inside of fdebug's own module: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "testdata", "kernels"), nil
}

// build builds a variant's test binary.
func (b *bench) build(ctx context.Context, v *variant, src string) error {
	v.bin = filepath.Join(b.dir, v.name+".test")
	goCmd, env, flags := "go", []string(nil), v.flags
	if v.traced != "" {
		plan, err := instrument.Prepare(ctx, instrument.Config{
			Dir: src, Patterns: []string{"."}, Out: filepath.Join(b.dir, v.name), Cache: farmCache(b.dir), Runtime: v.traced,
		})
		if err != nil {
			return err
		}
		goCmd, env, flags = plan.GoCmd(), plan.Env(), plan.BuildFlags()
	}
	cmd := exec.CommandContext(ctx, goCmd, append(append([]string{"test", "-c", "-o", v.bin}, flags...), ".")...)
	cmd.Dir = src
	cmd.Env = append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", v.name, err, text)
	}
	return nil
}

// farmCache is where fdebug itself keeps its farms, so that std is not built
// for each measurement.
func farmCache(otherwise string) string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return otherwise
	}
	return filepath.Join(dir, "fdebug")
}
