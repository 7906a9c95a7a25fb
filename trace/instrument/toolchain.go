package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Toolchain is the Go toolchain that a module is built with, after any switch that its go.mod
// or go.work requires.
type Toolchain struct {
	GOROOT     string
	GOVERSION  string // "go1.26.8"
	GOOS       string
	GOARCH     string
	GOMODCACHE string
	GOCACHE    string
	GOPATH     string
	GOTOOLDIR  string // where compile and link are
	GOENV      string // path of the go command's settings, or off
	GOMOD      string // path of go.mod, "" or os.DevNull outside of a module
	GOWORK     string // path of go.work, "" if there is none
	GOFLAGS    string
}

// ErrNoModule is returned when the directory is not inside a module.
var ErrNoModule = errors.New("not in a Go module: no go.mod here or in a parent directory")

// FindToolchain asks the go command in dir which toolchain it would use.
func FindToolchain(ctx context.Context, goCmd, dir string) (*Toolchain, error) {
	cmd := exec.CommandContext(ctx, goCmd, "env", "-json",
		"GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOMODCACHE", "GOCACHE", "GOPATH", "GOTOOLDIR", "GOENV", "GOMOD",
		"GOWORK", "GOFLAGS")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s env: %s", goCmd, firstOf(stderr.String(), err))
	}
	var tc Toolchain
	if err := json.Unmarshal(out, &tc); err != nil {
		return nil, fmt.Errorf("%s env: %w", goCmd, err)
	}
	if tc.GOWORK == "off" {
		tc.GOWORK = ""
	}
	if (tc.GOMOD == "" || tc.GOMOD == os.DevNull) && tc.GOWORK == "" {
		return nil, ErrNoModule
	}
	return &tc, nil
}

// ModuleRoot returns the directory of go.mod, or of go.work outside of a module.
func (tc *Toolchain) ModuleRoot() string {
	if tc.GOMOD != "" && tc.GOMOD != os.DevNull {
		return filepath.Dir(tc.GOMOD)
	}
	return filepath.Dir(tc.GOWORK)
}

// hasFlag reports whether a build with the flags, and those of GOFLAGS, has one of the given
// flags and does not turn it off.
func (tc *Toolchain) hasFlag(flags []string, names ...string) bool {
	has := false
	for _, flag := range append(strings.Fields(tc.GOFLAGS), flags...) {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if strings.HasPrefix(flag, "-") && slices.Contains(names, name) {
			has = value != "false" && value != "0"
		}
	}
	return has
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

// inModuleCache reports whether dir is below GOMODCACHE.
func (tc *Toolchain) inModuleCache(dir string) bool {
	return tc.GOMODCACHE != "" && strings.HasPrefix(dir, tc.GOMODCACHE+string(filepath.Separator))
}

// firstOf returns the trimmed text, or the text of err if there is none.
func firstOf(text string, err error) string {
	if text = strings.TrimSpace(text); text != "" {
		return text
	}
	return err.Error()
}
