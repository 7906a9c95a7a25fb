package instrument

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Object files say $GOROOT/src/fmt/print.go, and the linker replaces $GOROOT by that of its
// environment. The go command gives it the shadow GOROOT. A program would then find frames of std
// elsewhere than below runtime.GOROOT, so the shadow GOROOT has a linker of its own.

//go:embed _link/main.go
var linkSource []byte

// addLinker makes the directory of tools in a shadow GOROOT: links, and a linker.
func addLinker(ctx context.Context, tc *Toolchain, dir string) error {
	tools, ok := relIn(tc.GOROOT, tc.GOTOOLDIR)
	if !ok { // it is the same directory for both
		return os.Symlink(filepath.Join(tc.GOROOT, "pkg"), filepath.Join(dir, "pkg"))
	}
	in, rest, _ := strings.Cut(filepath.ToSlash(tools)+"/link", "/")
	for rest != "" { // nothing but the next directory, and link itself, is made anew
		var next string
		next, rest, _ = strings.Cut(rest, "/")
		skip := func(name string) bool { return strings.TrimSuffix(name, ".exe") == next }
		if err := linkAll(filepath.Join(tc.GOROOT, in), filepath.Join(dir, in), skip); err != nil {
			return err
		}
		in = filepath.Join(in, next)
	}
	return buildLinker(ctx, tc, filepath.Join(tc.GOTOOLDIR, "link"), filepath.Join(dir, tools, "link"))
}

// buildLinker compiles the linker for the system of the toolchain.
func buildLinker(ctx context.Context, tc *Toolchain, own, out string) error {
	dir, err := os.MkdirTemp("", "fdebug-link-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, exe := range []string{own, own + ".exe"} {
		if _, err := os.Stat(exe); err == nil {
			own, out = exe, out+filepath.Ext(exe)
		}
	}
	paths := fmt.Sprintf("package main\n\nconst goroot, link = %q, %q\n", tc.GOROOT, own)
	for name, text := range map[string][]byte{"main.go": linkSource, "paths.go": []byte(paths)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	system, arch, _ := strings.Cut(filepath.Base(tc.GOTOOLDIR), "_")
	cmd := exec.CommandContext(ctx, tc.command("go"), "build", "-o", out, "main.go", "paths.go")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOROOT="+tc.GOROOT, "GOTOOLCHAIN=local", "GOOS="+system, "GOARCH="+arch,
		"GOFLAGS=-buildvcs=false", "GOWORK=off", "GO111MODULE=off", "CGO_ENABLED=0", "PWD="+dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the linker: %s", firstOf(string(text), err))
	}
	return nil
}
