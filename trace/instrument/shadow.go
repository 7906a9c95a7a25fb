package instrument

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// shadowFiles are the files added to the standard library, below src.
//
//go:embed _shadow
var shadowFiles embed.FS

// A Shadow is a GOROOT of links to the real one, in which only the patched and added packages of
// the standard library are real directories. Unlike an overlay, it can be used with a toolchain
// in the module cache, go vet and the assembler work with it, and all packages may import what it
// adds.
type Shadow struct {
	GOROOT   string
	Warnings []error // one for each hook that this version of Go has no place for
	panics   bool    // whether panics are recorded
}

// Go returns the path of the shadow GOROOT's go command.
func (f *Shadow) Go() string { return filepath.Join(f.GOROOT, "bin", "go") }

// Env returns the variables that the environment of the shadow GOROOT's go command must have.
func (f *Shadow) Env() []string { return []string{"GOROOT=" + f.GOROOT, "GOTOOLCHAIN=local"} }

// A shadowPlan is the content of a shadow GOROOT: the patched and added files, by name relative
// to GOROOT/src.
type shadowPlan struct {
	files    map[string][]byte
	warnings []error
}

// patched are the systems that the probe runtime knows.
var patched = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// newest is the newest version of Go that TestVersions was run with.
const newest = "go1.27.4"

// An UnpatchedError says what a toolchain lacks without which a shadow GOROOT would be useless.
type UnpatchedError struct {
	Version string // of Go
	Try     string // a version that has it, unless the modules ask for a newer one
	Err     error
}

func (e *UnpatchedError) Error() string {
	return fmt.Sprintf("%s cannot be patched: %v", e.Version, e.Err)
}

// makeShadow returns the shadow GOROOT for a toolchain, below the cache directory. It builds it
// if it does not exist. Several processes may do so at once.
func makeShadow(ctx context.Context, cache string, tc *Toolchain, hooks []*hook) (*Shadow, error) {
	plan, err := planShadow(filepath.Join(tc.GOROOT, "src"), tc, hooks)
	if err != nil {
		return nil, err
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(tc.GOVERSION, "devel "), " ") // "devel go1.27-3f2a Mon Jan ..."
	dir := filepath.Join(cache, fmt.Sprintf("goroot-%s-%s", version, plan.hash(tc.GOROOT)))
	panics := bytes.Contains(plan.files["runtime/panic.go"], []byte("fdebugPanic()"))
	shadow := &Shadow{GOROOT: dir, Warnings: plan.warnings, panics: panics}
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return shadow, nil
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(cache, "building-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if err := plan.build(tc.GOROOT, tmp); err != nil {
		return nil, err
	}
	if err := addLinker(ctx, tc, tmp); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(tmp, "complete"), nil, 0o666); err != nil {
		return nil, err
	}
	if err := install(tmp, dir); err != nil {
		return nil, err
	}
	return shadow, ctx.Err()
}

// install renames a finished shadow GOROOT to its place, unless another process was first. An
// existing directory that is incomplete is a damaged shadow GOROOT, and install moves it away.
func install(tmp, dir string) (err error) {
	for try := range 3 {
		if err = os.Rename(tmp, dir); err == nil {
			return nil
		}
		if _, serr := os.Stat(filepath.Join(dir, "complete")); serr == nil {
			return nil
		}
		aside := fmt.Sprintf("%s-old%d", tmp, try)
		if os.Rename(dir, aside) == nil {
			defer os.RemoveAll(aside)
		}
	}
	return err
}

// planShadow reads the files to patch and checks each line that a patch is for.
func planShadow(src string, tc *Toolchain, hooks []*hook) (*shadowPlan, error) {
	plan := &shadowPlan{files: make(map[string][]byte)}
	if !slices.Contains(patched, tc.GOOS+"/"+tc.GOARCH) {
		return nil, fmt.Errorf("tests for %s/%s cannot be recorded: there are patches of Go for %s", tc.GOOS, tc.GOARCH,
			strings.Join(patched, ", "))
	}
	for _, h := range hooks {
		switch err := plan.add(src, h); {
		case err != nil && h.needed:
			return nil, &UnpatchedError{tc.GOVERSION, newest, err}
		case err != nil && !h.untold:
			plan.warnings = append(plan.warnings, fmt.Errorf("%s: %s: %w", tc.GOVERSION, h.lost, err))
		}
	}
	return plan, plan.addFiles(src)
}

// add applies the patches of a hook, all or none.
func (plan *shadowPlan) add(src string, h *hook) error {
	changed := make(map[string][]byte)
	for _, p := range h.patches {
		text, err := plan.text(src, p.file, changed)
		if err != nil {
			return err
		}
		if text, err = p.withImports(text); err != nil {
			return err
		}
		if changed[p.file], err = p.apply(text); err != nil {
			return err
		}
	}
	maps.Copy(plan.files, changed)
	return nil
}

func (plan *shadowPlan) text(src, name string, changed map[string][]byte) ([]byte, error) {
	if text, ok := changed[name]; ok {
		return text, nil
	}
	if text, ok := plan.files[name]; ok {
		return text, nil
	}
	return os.ReadFile(filepath.Join(src, filepath.FromSlash(name)))
}

// addFiles adds the probe runtime.
func (plan *shadowPlan) addFiles(src string) (err error) {
	if plan.files["runtime/fdebug_numbers.go"], err = numbers("runtime", "fdebug"); err != nil {
		return err
	}
	return fs.WalkDir(shadowFiles, "_shadow", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := shadowFiles.ReadFile(name)
		plan.files[strings.TrimPrefix(name, "_shadow/")] = adapt(src, text)
		return err
	})
}

// numbers returns the constants and functions that a probe runtime shares with package trace: a file of the named
// package, where all names begin with the prefix.
func numbers(in, prefix string) ([]byte, error) {
	fset, source := token.NewFileSet(), trace.Numbers
	f, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	pkg, err := new(types.Config).Check("", fset, []*ast.File{f}, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n", in)
	for _, name := range pkg.Scope().Names() {
		to := prefix + strings.ToUpper(name[:1]) + name[1:]
		switch x := pkg.Scope().Lookup(name).(type) {
		case *types.Const:
			fmt.Fprintf(&b, "\nconst %s = %s\n", to, x.Val().ExactString())
		case *types.Func:
			at, end := fset.Position(x.Pos()).Offset+len(name), fset.Position(x.Scope().End()).Offset
			fmt.Fprintf(&b, "\n//go:norace\nfunc %s%s\n", to, source[at:end])
		}
	}
	return b.Bytes(), nil
}

// adapt adjusts an added file to the version of Go.
func adapt(src string, text []byte) []byte {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(src, name))
		return err == nil
	}
	if !has("internal/runtime/syscall/linux") { // before Go 1.26
		text = bytes.ReplaceAll(text, []byte(`"internal/runtime/syscall/linux"`), []byte(`"internal/runtime/syscall"`))
	}
	if synctest, err := os.ReadFile(filepath.Join(src, "runtime/synctest.go")); err == nil &&
		bytes.Contains(synctest, []byte("type synctestGroup struct")) {
		// before Go 1.25
		text = bytes.ReplaceAll(text, []byte("*synctestBubble"), []byte("*synctestGroup"))
		text = bytes.ReplaceAll(text, []byte("gp.bubble"), []byte("gp.syncGroup"))
	}
	return text
}

// hash identifies the content of the shadow GOROOT and of the GOROOT it is made from, which can
// get new files at any time if it is a checkout.
func (plan *shadowPlan) hash(goroot string) string {
	h := sha256.New()
	fmt.Fprintf(h, "shadow 3 %q %q\n", goroot, linkSource)
	for _, name := range plan.names() {
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(plan.files[name]))
	}
	real := plan.dirs()
	for _, dir := range slices.Sorted(maps.Keys(real)) {
		entries, _ := os.ReadDir(filepath.Join(goroot, "src", dir)) // added ones are not there
		copied := hasGo(entries)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			fmt.Fprintf(h, "%q\n", name)
			if copied && !real[name] {
				hashStates(h, filepath.Join(goroot, "src", name))
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// hashStates adds to a hash what tells that a file, or one of a directory, has changed.
func hashStates(h io.Writer, name string) {
	filepath.WalkDir(name, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintf(h, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
}

// dirs returns the directories below GOROOT/src that are not links in the shadow GOROOT.
func (plan *shadowPlan) dirs() map[string]bool {
	dirs := map[string]bool{".": true}
	for name := range plan.files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	return dirs
}

func (plan *shadowPlan) names() []string {
	names := make([]string, 0, len(plan.files))
	for name := range plan.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// build makes the shadow GOROOT in an empty directory, except pkg.
func (plan *shadowPlan) build(goroot, dir string) error {
	if err := linkAll(goroot, dir, func(name string) bool { return name == "src" || name == "pkg" }); err != nil {
		return err
	}
	src, to := filepath.Join(goroot, "src"), filepath.Join(dir, "src")
	real := plan.dirs()
	for _, in := range slices.Sorted(maps.Keys(real)) {
		skip := func(name string) bool {
			name = path.Join(in, name)
			return real[name] || plan.files[name] != nil
		}
		if err := linkAll(filepath.Join(src, in), filepath.Join(to, in), skip); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for name, text := range plan.files {
		if err := os.MkdirAll(filepath.Join(to, path.Dir(name)), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.FromSlash(name)), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// linkAll makes a directory with links to all entries of another one, except those to skip. Where
// packages are it copies them: the go command indexes no package with a link beside its files, and
// reads all of them anew each time.
func linkAll(from, to string, skip func(name string) bool) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	put := os.Symlink
	if hasGo(entries) {
		put = copyAll
	}
	for _, e := range entries {
		if skip(e.Name()) {
			continue
		}
		if err := put(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func hasGo(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) == ".go" })
}

// copyAll copies a file, for which a hard link does as well, or a directory with all below it.
func copyAll(from, to string) error {
	real, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	if info, err := os.Stat(real); err == nil && info.IsDir() {
		return linkAll(real, to, func(string) bool { return false })
	}
	if os.Link(real, to) == nil {
		return nil
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}
