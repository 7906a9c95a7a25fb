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
	"slices"
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
	// behind has the go command leave processors to the tests that run meanwhile.
	behind bool
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
	dir, overlay, err := b.prepare()
	if err != nil {
		return nil, err
	}
	bin := b.binary(dir, target)
	began := time.Now()
	out, err := b.output(b.command(ctx, bin.Path, overlay, target))
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

// prepare makes a directory for binaries, and the overlay beside them.
func (b *Build) prepare() (dir string, o *overlay, err error) {
	if dir, err = os.MkdirTemp(b.Out, "test-"); err != nil {
		return "", nil, fmt.Errorf("making a directory for test binaries: %w", err)
	}
	o, err = b.overlay(dir)
	return dir, o, err
}

// binary names the binary of a package in a directory. Programs look at the name of their
// binary: it is as under go test.
func (b *Build) binary(dir string, target Target) *Binary {
	bin := &Binary{Target: target, Path: filepath.Join(dir, execName(target.ImportPath)+".test"), traced: b.Overlay != ""}
	if os.PathSeparator == '\\' {
		bin.Path += ".exe"
	}
	return bin
}

// execName is what the go command calls the program of a package: example.com/m/q/v2 is q.
func execName(importPath string) string {
	dir, name := path.Split(importPath)
	if dir != "" && majorVersion.MatchString(name) {
		return path.Base(dir)
	}
	return name
}

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// Tests builds the test binaries of packages with one go command, which their names must
// allow: see [execName]. One that is missing did not build, or there are no tests: [Build.Test]
// says why.
func (b *Build) Tests(ctx context.Context, targets []Target) (map[string]*Binary, error) {
	made := make(map[string]*Binary)
	for _, bin := range b.Built {
		made[bin.ImportPath] = bin
	}
	targets = slices.DeleteFunc(slices.Clone(targets), func(t Target) bool { return made[t.ImportPath] != nil })
	if b.Ready != nil || len(targets) == 0 {
		return made, nil
	}
	dir, overlay, err := b.prepare()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	_, err = b.output(b.command(ctx, dir+string(os.PathSeparator), overlay, targets...))
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("running %s: %w", b.GoCmd, err)
	}
	took := time.Since(began) / time.Duration(len(targets))
	for _, target := range targets {
		bin := b.binary(dir, target)
		if _, err := os.Stat(bin.Path); err == nil && ctx.Err() == nil {
			bin.Took = took
			made[target.ImportPath] = bin
		}
	}
	return made, context.Cause(ctx)
}

// vetted are the checks of go vet that go test makes by itself.
var vetted = []string{"atomic", "bool", "buildtags", "directive", "errorsas", "ifaceassert", "nilfunc", "printf", "stringintconv", "tests"}

// Objects returns those of the packages of which go vet says something: [Build.Test] says what.
func (b *Build) Objects(ctx context.Context, targets []Target) (map[string]bool, error) {
	objects := make(map[string]bool)
	checks := vetted
	switch b.Vet {
	case "off":
		return objects, nil
	case "all":
		checks = nil
	case "":
	default:
		checks = strings.Split(b.Vet, ",")
	}
	if b.Ready != nil || b.Built != nil {
		return objects, nil
	}
	_, overlay, err := b.prepare()
	if err != nil {
		return nil, err
	}
	args := []string{"vet"}
	for _, c := range checks {
		args = append(args, "-"+c)
	}
	overlay.flags = slices.DeleteFunc(slices.Clone(overlay.flags), func(f string) bool { // not of go vet
		return strings.HasPrefix(f, "-cover") || strings.HasPrefix(f, "-vet=")
	})
	out, err := b.output(b.goCommand(ctx, args, overlay, targets))
	if err == nil {
		return objects, nil
	}
	said := overlay.restore(string(out))
	for _, m := range packageHeading.FindAllStringSubmatch(said, -1) {
		objects[m[1]] = true
	}
	for _, m := range errorPosition.FindAllStringSubmatch(said, -1) { // since Go 1.26 without a heading
		dir := filepath.Dir(absolute(m[2], overlay.dir))
		for _, t := range targets {
			if t.Dir == dir {
				objects[t.ImportPath] = true
			}
		}
	}
	if len(objects) == 0 { // to none in particular: each is asked by itself
		for _, t := range targets {
			objects[t.ImportPath] = true
		}
	}
	return objects, context.Cause(ctx)
}

// A heading of the go command: "# example.com/m/p", "# [example.com/m/p]", "# example.com/m/p_test [example.com/m/p.test]".
var packageHeading = regexp.MustCompile(`(?m)^# \[?([^\s\]]+?)(?:_test)?(?:\]| \[.*\])?$`)

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

// command returns the go command that builds test binaries into a file, or a directory.
func (b *Build) command(ctx context.Context, out string, o *overlay, targets ...Target) *exec.Cmd {
	args := []string{"test", "-c", "-o", out}
	switch {
	case b.Overlay != "":
		args = append(args, "-vet=off") // it is the user's own files that are vetted
	case b.Vet != "":
		args = append(args, "-vet="+b.Vet)
	}
	return b.goCommand(ctx, args, o, targets)
}

func (b *Build) goCommand(ctx context.Context, args []string, o *overlay, targets []Target) *exec.Cmd {
	args = append(args, o.flags...)
	if o.path != "" {
		args = append(args, "-overlay="+o.path)
	}
	for _, t := range targets {
		args = append(args, t.ImportPath)
	}
	cmd := exec.CommandContext(ctx, b.GoCmd, args...)
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

// output runs a go command and returns what it prints.
func (b *Build) output(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if b.behind {
		stepBack(cmd.Process)
	}
	err := cmd.Wait()
	return out.Bytes(), err
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
