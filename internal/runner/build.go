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
	Env   []string // KEY=value, added to the environment of the process
	Dir   string   // where go runs: the module root, or the directory of -C
	Flags []string // build flags: -race, -tags=x, -mod=vendor, the user's -overlay
	Vet   string   // the checks of go vet: "off", or a list; "" for those of go test
	// Overlay is the path of the JSON file with the instrumented files, or "" for a plain build.
	// It is merged with a -overlay in Flags or GOFLAGS.
	Overlay string
	// Added are files that are built besides the user's: where each is, by the absolute path that it
	// has for the go command. They are merged with the overlays.
	Added map[string]string
	Out   string // directory for binaries; must exist
	// behind makes the go command leave processors to the tests that run meanwhile.
	behind bool
	// Built are binaries of this build that exist already and are not built again.
	Built []*Binary
	// If Ready is not nil, it has the binaries by import path, and nothing is built.
	Ready map[string]Ready
}

// A Ready is a binary that was built before, or the reason why there is none.
type Ready struct {
	Path string
	Err  error
}

// A Binary is a built test binary.
type Binary struct {
	Target
	Path string
	Took time.Duration // to build it; 0 if it was built before
}

// ErrNoTestFiles is returned for a package that has no test files.
var ErrNoTestFiles = errors.New("no test files")

// A BuildError reports a package that does not build.
type BuildError struct {
	Package string
	// Output is the output of the go command, with the user's paths.
	Output string
	// Traced is set if the plain package builds and the instrumented one does not, which is
	// fdebug's fault.
	Traced bool
}

// Vetted reports whether the package builds, but go vet objects to it. The findings of vet are
// under a second heading, "# [example.com/m/p]".
func (e *BuildError) Vetted() bool { return vetHeading.MatchString(e.Output) }

var vetHeading = regexp.MustCompile(`(?m)^# \[[^\]\n]+\]$`)

func (e *BuildError) Error() string {
	what := "does not build"
	switch {
	case e.Vetted():
		what = "is not run because go vet objects to it, as under go test"
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
	if bin := b.made(target); bin != nil {
		return bin, nil
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

// prepare makes a directory for binaries, with the overlay.
func (b *Build) prepare() (dir string, o *overlay, err error) {
	if dir, err = os.MkdirTemp(b.Out, "test-"); err != nil {
		return "", nil, fmt.Errorf("making a directory for test binaries: %w", err)
	}
	o, err = b.overlay(dir)
	return dir, o, err
}

// binary returns the binary of a package in a directory. It has the name that go test gives it,
// because programs look at the name of their binary.
func (b *Build) binary(dir string, target Target) *Binary {
	bin := &Binary{Target: target, Path: filepath.Join(dir, execName(target.ImportPath)+".test")}
	if os.PathSeparator == '\\' {
		bin.Path += ".exe"
	}
	return bin
}

// execName returns the name that the go command gives to the program of a package: q for
// example.com/m/q/v2.
func execName(importPath string) string {
	dir, name := path.Split(importPath)
	if dir != "" && majorVersion.MatchString(name) {
		return path.Base(dir)
	}
	return name
}

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// appearing is how often watch checks which binaries are there.
const appearing = 100 * time.Millisecond

// Tests builds the test binaries of packages with one go command. All of them need different
// names: see [execName]. It calls ready with each binary as soon as that is there. A package
// whose binary never comes did not build, go vet objects to it, or it has no tests: [Build.Test]
// says why.
func (b *Build) Tests(ctx context.Context, targets []Target, ready func(*Binary)) error {
	missing := slices.DeleteFunc(slices.Clone(targets), func(t Target) bool {
		bin := b.made(t)
		if bin != nil {
			ready(bin)
		}
		return bin != nil
	})
	if b.Ready != nil || len(missing) == 0 {
		return nil
	}
	dir, overlay, err := b.prepare()
	if err != nil {
		return err
	}
	cmd := b.command(ctx, dir+string(os.PathSeparator), overlay, missing...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("running %s: %w", b.GoCmd, err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	b.watch(ctx, cmd.Process, ended, dir, missing, ready)
	return context.Cause(ctx)
}

// watch calls ready with each binary that appears, until the go command has ended. After the
// first one, the tests of built packages go before the rest of the build.
func (b *Build) watch(ctx context.Context, p *os.Process, ended <-chan struct{}, dir string, missing []Target,
	ready func(*Binary)) {
	last := time.Now()
	for over := false; !over; {
		select {
		case <-ended:
			over = true
		case <-time.After(appearing):
			if !movesFiles {
				continue
			}
		}
		some := len(missing)
		missing = slices.DeleteFunc(missing, func(t Target) bool {
			bin := b.binary(dir, t)
			if _, err := os.Stat(bin.Path); err != nil || ctx.Err() != nil {
				return false
			}
			bin.Took, last = time.Since(last), time.Now()
			ready(bin)
			return true
		})
		if len(missing) < some && !over {
			stepBack(p)
		}
	}
}

// made returns the binary of a package if nothing has to be built for it.
func (b *Build) made(t Target) *Binary {
	if bin, err := b.ready(t); b.Ready != nil && err == nil {
		return bin
	}
	for _, bin := range b.Built {
		if bin.Target == t {
			return bin
		}
	}
	return nil
}

func (b *Build) ready(target Target) (*Binary, error) {
	r, ok := b.Ready[target.ImportPath]
	switch {
	case !ok:
		return nil, ErrNoTestFiles
	case r.Err != nil:
		return nil, r.Err
	}
	return &Binary{Target: target, Path: r.Path}, nil
}

// command returns the go command that builds test binaries into a file, or a directory.
func (b *Build) command(ctx context.Context, out string, o *overlay, targets ...Target) *exec.Cmd {
	args := []string{"test", "-c", "-o", out}
	if b.Vet != "" {
		args = append(args, "-vet="+b.Vet)
	}
	return b.goCommand(ctx, filepath.Dir(out), args, o, targets)
}

// goCommand returns a go command that works in a directory: files that it leaves there when it is killed are removed
// with the binaries, and from there they are moved in one step.
func (b *Build) goCommand(ctx context.Context, dir string, args []string, o *overlay, targets []Target) *exec.Cmd {
	args = append(args, o.flags...)
	if o.path != "" {
		args = append(args, "-overlay="+o.path)
	}
	for _, t := range targets {
		args = append(args, t.ImportPath)
	}
	cmd := exec.CommandContext(ctx, b.GoCmd, args...)
	cmd.Dir = b.Dir
	cmd.Env = append(append(os.Environ(), "GOTMPDIR="+dir), b.Env...)
	if b.Dir != "" {
		cmd.Env = append(cmd.Env, "PWD="+b.Dir)
	}
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// output runs a go command and returns its output.
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

// trimFail removes the lines "FAIL example.com/m/p [build failed]", which go test prints for a
// binary that it would have run.
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

// Exported returns the files with the export data of packages, by import path. Those that test
// binaries of this build were made from need not be compiled again.
func (b *Build) Exported(ctx context.Context, paths []string) (map[string]string, error) {
	dir, overlay, err := b.prepare()
	if err != nil {
		return nil, err
	}
	targets := make([]Target, len(paths))
	for i, p := range paths {
		targets[i].ImportPath = p
	}
	cmd := b.goCommand(ctx, dir, []string{"list", "-e", "-export", "-f", "{{.ImportPath}} {{.Export}}"}, overlay, targets)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("running %s list: %w: %s", b.GoCmd, err, bytes.TrimSpace(complaint.Bytes()))
	}
	files := make(map[string]string)
	for line := range strings.Lines(out.String()) {
		path, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		files[path] = file
	}
	return files, nil
}
