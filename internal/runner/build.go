package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Target is a test package.
type Target struct {
	ImportPath string `json:"import_path"`
	Dir        string `json:"dir"` // absolute
}

// A Build says how to build test binaries.
type Build struct {
	GoCmd string   // the go command, "go" or a path
	Env   []string // KEY=value, on top of the process's environment
	Dir   string   // where go runs: the module root, or what -C says
	Flags []string // build flags: -race, -tags=x, -mod=vendor, the user's -overlay
	Vet   string   // what go vet is to look for: "off", or a list; "" for what go test does by itself
	// Overlay is the path of the JSON file with the instrumented files, "" for
	// a plain build. It is merged with a -overlay in Flags or GOFLAGS.
	Overlay string
	Out     string // directory for binaries; must exist
	// procs limits how many commands go runs at once, 0 for go's own choice.
	procs int
	// Built are binaries of this build that are there already: they are not built again.
	Built []*Binary
	// Ready, if it is not nil, has the binaries by import path, and nothing is built.
	Ready map[string]Ready
}

// A Ready is a binary that was built before, or why there is none.
type Ready struct {
	Path   string
	Traced bool
	Err    error
}

// A Binary is a built test binary.
type Binary struct {
	Target
	Path   string
	Took   time.Duration // to build it, 0 if that was done before
	traced bool
}

// ErrNoTestFiles is returned for a package that has no test files.
var ErrNoTestFiles = errors.New("no test files")

// A BuildError is a package that does not build.
type BuildError struct {
	Package string
	// Output is what the go command printed, with the user's paths and columns.
	Output string
	// Traced is set if the plain package does build and the instrumented one
	// does not, which is fdebug's fault and not the user's.
	Traced bool
}

// Vetted reports whether the package builds, but go vet objects to it. Its
// findings stand under a second heading, "# [example.com/m/p]".
func (e *BuildError) Vetted() bool { return vetHeading.MatchString(e.Output) }

var vetHeading = regexp.MustCompile(`(?m)^# \[[^\]\n]+\]$`)

func (e *BuildError) Error() string {
	what := "does not build"
	switch {
	case e.Vetted():
		what = "is not run, since go vet objects to it, as under go test"
	case e.Traced:
		what = "builds, but does not build with probes (a bug in fdebug: please report it)"
	}
	return fmt.Sprintf("package %s %s:\n%s", e.Package, what, strings.TrimRight(e.Output, "\n"))
}

// Test builds the test binary of a package.
func (b *Build) Test(ctx context.Context, target Target) (*Binary, error) {
	if b.Ready != nil {
		return b.ready(target)
	}
	for _, bin := range b.Built {
		if bin.Target == target {
			return bin, nil
		}
	}
	// Programs look at the name of their binary: it is as under go test.
	dir, err := os.MkdirTemp(b.Out, "test-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for test binaries: %w", err)
	}
	bin := &Binary{Target: target, Path: filepath.Join(dir, path.Base(target.ImportPath)+".test"), traced: b.Overlay != ""}
	if os.PathSeparator == '\\' {
		bin.Path += ".exe"
	}
	overlay, err := b.overlay(dir)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	out, err := b.command(ctx, bin, overlay).CombinedOutput()
	bin.Took = time.Since(began)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, &BuildError{Package: target.ImportPath, Output: overlay.restore(trimFail(out))}
	} else if err != nil {
		return nil, fmt.Errorf("running %s: %w", b.GoCmd, err)
	}
	if _, err := os.Stat(bin.Path); err != nil {
		return nil, ErrNoTestFiles
	}
	return bin, nil
}

func (b *Build) ready(target Target) (*Binary, error) {
	r, ok := b.Ready[target.ImportPath]
	switch {
	case !ok:
		return nil, ErrNoTestFiles
	case r.Err != nil:
		return nil, r.Err
	}
	return &Binary{Target: target, Path: r.Path, traced: r.Traced}, nil
}

// command returns the go command for one test binary.
func (b *Build) command(ctx context.Context, bin *Binary, o *overlay) *exec.Cmd {
	args := append([]string{"test", "-c", "-o", bin.Path}, o.flags...)
	if o.path != "" {
		args = append(args, "-overlay="+o.path)
	}
	switch {
	case bin.traced:
		args = append(args, "-vet=off") // the plain build has vetted the user's own files
	case b.Vet != "":
		args = append(args, "-vet="+b.Vet)
	}
	if b.procs > 0 {
		args = append(args, fmt.Sprintf("-p=%d", b.procs))
	}
	cmd := exec.CommandContext(ctx, b.GoCmd, append(args, bin.ImportPath)...)
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), b.Env...)
	if b.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+b.Dir)
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// trimFail removes the lines "FAIL example.com/m/p [build failed]", which go
// test prints about a binary that it would have run.
func trimFail(out []byte) string {
	var kept []byte
	for line := range bytes.Lines(out) {
		s := string(bytes.TrimSpace(line))
		if s != "FAIL" && !strings.HasPrefix(s, "FAIL\t") {
			kept = append(kept, line...)
		}
	}
	return string(kept)
}
