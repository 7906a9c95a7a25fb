package instrument

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Go's own source tree as the main module.
//
// In GOROOT/src, or in a checkout of Go with the toolchain built in it, the code to debug is the
// standard library itself. Three things differ from other modules:
//
//   - The build must use the std of the shadow GOROOT, so it runs there and knows each file by its
//     path there. The overlay has those paths. The site table, and everything that people read,
//     has the user's.
//   - Package fdebugrt imports runtime, so runtime and what it imports cannot import fdebugrt. In
//     those packages only the external tests get probes.
//   - The packages do not form one program. The scope is what the patterns match, not all of std
//     that a test links: package testing, sync or fmt are dependencies here.
//
// Files that the shadow GOROOT has patched (of testing and time) are rewritten from the patched
// version. A patch only adds text at the ends of lines, so the positions of blocks are those in
// the user's file.

// stdTree returns "std" or "cmd" if the main module is that part of the toolchain's own source
// tree, or "" if it is another module.
func (tc *Toolchain) stdTree() string {
	for _, tree := range []string{"std", "cmd"} {
		if sameFile(tc.GOMOD, filepath.Join(tc.stdDir(tree), "go.mod")) {
			return tree
		}
	}
	return ""
}

// stdDir returns the root directory of module std or cmd.
func (tc *Toolchain) stdDir(tree string) string {
	if tree == "cmd" {
		return filepath.Join(tc.GOROOT, "src", "cmd")
	}
	return filepath.Join(tc.GOROOT, "src")
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// ErrForeignStd is returned in a source tree of Go that does not belong to the go command, which
// cannot build it either.
var ErrForeignStd = errors.New("this source tree of Go is not that of the go command")

// checkStd finds out whether the main module is std.
func (plan *Plan) checkStd() error {
	tc := plan.Toolchain
	if plan.Std = tc.stdTree(); plan.Std != "" || filepath.Base(filepath.Dir(tc.GOMOD)) != "src" {
		return nil
	}
	text, err := os.ReadFile(tc.GOMOD)
	if err == nil && strings.HasPrefix(string(text), "module std\n") {
		return fmt.Errorf("%w: put the bin directory of the tree first in PATH (GOROOT is %s)",
			ErrForeignStd, tc.GOROOT)
	}
	return nil
}

// adoptStd makes the packages that the patterns match the main module, because go list does not
// report that for std.
func (plan *Plan) adoptStd(pkgs []*listed) {
	for _, p := range pkgs {
		if plan.Std != "" && p.Standard && !p.DepOnly {
			p.Module = &listedModule{Path: p.ImportPath, Main: true, Dir: plan.Toolchain.stdDir(plan.Std)}
		}
	}
}

// belowRuntime returns the packages that fdebugrt imports, directly or indirectly, and those that
// run without a goroutine of their own.
func belowRuntime(pkgs []*listed) map[string]bool {
	imports := make(map[string][]string, len(pkgs))
	for _, p := range pkgs {
		imports[p.ImportPath] = p.Imports
	}
	below := map[string]bool{"runtime/cgo": true, "runtime/race": true, "runtime/msan": true, "runtime/asan": true}
	var add func(name string)
	add = func(name string) {
		if below[name] {
			return
		}
		below[name] = true
		for _, imp := range imports[name] {
			add(imp)
		}
	}
	add("runtime")
	add("unsafe")
	return below
}

// BuildDir returns the directory in which the go command of the plan must run to see a directory
// of the user's. It is a different one if the directory lies in std.
func (plan *Plan) BuildDir(dir string) string { return plan.buildPath(dir) }

// buildPath returns the path under which the build knows a file or directory.
func (plan *Plan) buildPath(name string) string {
	if plan.Shadow == nil {
		return name
	}
	src := filepath.Join(plan.Toolchain.GOROOT, "src")
	rel, ok := relIn(src, name)
	if !ok && plan.Std != "" {
		rel, ok = relIn(resolve(src), resolve(name))
	}
	if !ok {
		return name
	}
	return filepath.Join(plan.Shadow.GOROOT, "src", rel)
}

// relIn returns name relative to dir, if it is dir or lies in it.
func relIn(dir, name string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, name)
	return rel, err == nil && filepath.IsLocal(rel)
}

// resolve follows the links in a path, as far as the path exists.
func resolve(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// pragmasOf returns the pragmas that forbid probes in a package. In std a function is hidden from
// the race detector if it runs where there is no proper goroutine, for example in the child of a
// fork.
func (p *listed) pragmasOf() map[string]bool {
	if !p.Standard {
		return noCalls
	}
	words := maps.Clone(noCalls)
	words["//go:norace"] = true
	return words
}
