// Package instrument puts probes into Go source and makes a toolchain that builds it.
//
// [Prepare] lists the packages, rewrites the files of the main module or workspace into another
// directory, and writes an overlay for go build. The user's files are never touched. A rewritten
// file differs from the original only by insertions within lines. So line numbers, comments,
// directives, cgo preambles and the results of runtime.Caller stay the same.
//
// Rewritten code imports fdebugrt, which exists only in a [Shadow]: a GOROOT of links in which
// package runtime has a few more lines. A test binary built with it behaves as usual. With
// FDEBUG_TRACE=file in its environment, it records every basic block in that file, in order and
// by goroutine. Package trace describes the format.
package instrument

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A Config says what to instrument.
type Config struct {
	GoCmd      string   // go command, "go" if empty
	Dir        string   // directory the patterns are relative to
	Patterns   []string // packages whose tests will run
	BuildFlags []string // for go list, as for go build: -tags, -race, -mod ...
	// Instrument adds the packages that match to the scope: import paths with "...". A pattern
	// that starts with "=" restricts the scope to what matches.
	Instrument []string
	Generated  bool   // whether to instrument generated files too
	Out        string // directory for the rewritten files, the overlay and the site table
	Cache      string // directory for shadow GOROOTs; that of the user if empty
	Overlay    string // the user's own overlay file, "" if none
}

// A Package is a package with tests.
type Package struct {
	ImportPath string
	Dir        string
}

// A Plan is the result of Prepare.
type Plan struct {
	Toolchain *Toolchain
	Shadow    *Shadow   // builds the tests; nil if they were built before
	Packages  []Package // with test files, in the order of go list
	Modules   []string  // paths of the main modules: more than one in a workspace
	// Bare says, by the import path of a package in scope, which of its files have no probes, and why.
	Bare      map[string][]string
	Std       string // "std" or "cmd" if that is the main module; Modules are then its packages
	Overlay   string // path of the overlay file
	SitesPath string
	Sites     *trace.Sites
	// Originals maps a rewritten file to its original, both absolute, so that positions in
	// compiler messages can be shown in the user's file.
	Originals map[string]string
	Warnings  []error

	cfg    Config
	listed []*listed // what go list has printed
	covers bool      // whether the user's flags ask for coverage
	inside []Inside  // statements with a position inside
	first  int       // number of the first of these positions
	lang   []string  // flags that raise the language version of packages
}

// Errors of Prepare.
var (
	ErrNoPackages = errors.New("no packages match")
	ErrChanged    = errors.New("the source has changed since the tests were built")
	// ErrScope is returned when none of the packages that go into the tests matches a pattern of Config.Instrument.
	ErrScope = errors.New("no package that these tests use matches")
)

// Prepare makes everything that an instrumented build needs.
func Prepare(ctx context.Context, cfg Config) (*Plan, error) {
	hooks, err := hooksOf(shadowFiles)
	if err != nil {
		return nil, err
	}
	return prepare(ctx, cfg, hooks)
}

func prepare(ctx context.Context, cfg Config, hooks []*hook) (*Plan, error) {
	if cfg.GoCmd == "" {
		cfg.GoCmd = "go"
	}
	if err := cfg.absolute(); err != nil {
		return nil, err
	}
	tc, err := FindToolchain(ctx, cfg.GoCmd, cfg.Dir)
	if err != nil {
		return nil, err
	}
	cfg.Overlay = cfg.userOverlay(tc)
	pkgs, err := listPackages(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Toolchain: tc, cfg: cfg, listed: pkgs}
	if err := plan.checkStd(); err != nil {
		return nil, err
	}
	plan.adoptStd(pkgs)
	plan.covers = tc.hasFlag(cfg.BuildFlags, "cover", "covermode", "coverpkg", "coverprofile")
	if err := plan.addPackages(pkgs, &cfg); err != nil {
		return nil, err
	}
	if err := cfg.checkScope(pkgs); err != nil {
		return nil, err
	}
	if plan.Shadow, err = makeShadow(ctx, cfg.Cache, tc, hooks); err != nil {
		var unpatched *UnpatchedError
		if errors.As(err, &unpatched) && slices.ContainsFunc(pkgs, (*listed).wantsNewer) {
			unpatched.Try = ""
		}
		return nil, err
	}
	plan.Warnings = append(plan.Warnings, plan.Shadow.Warnings...)
	if err := plan.rewriteAll(nil); err != nil {
		return nil, err
	}
	return plan, nil
}

// WithValues rewrites the same packages into another directory, so that they record values at some places too.
func (plan *Plan) WithValues(out string, places []ValueProbe) (*Plan, error) {
	next := plan.again(out)
	return next, next.rewriteAll(places)
}

// again returns a plan for the same packages that are still to be rewritten into another directory.
func (plan *Plan) again(out string) *Plan {
	next := *plan
	next.cfg.Out = out
	next.Modules, next.Bare, next.Warnings, next.lang = nil, nil, nil, nil
	return &next
}

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

// addPackages sorts the packages that the patterns match into those with and without tests.
func (plan *Plan) addPackages(pkgs []*listed, cfg *Config) error {
	matched := 0
	for _, p := range pkgs {
		if p.DepOnly {
			continue
		}
		if p.Error != nil && p.Dir == "" {
			return fmt.Errorf("%w %s: %s", ErrNoPackages, strings.Join(cfg.Patterns, " "), p.Error.Err)
		}
		matched++
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			plan.Packages = append(plan.Packages, Package{p.ImportPath, p.Dir})
		}
	}
	if matched == 0 {
		return fmt.Errorf("%w %s", ErrNoPackages, strings.Join(cfg.Patterns, " "))
	}
	return nil
}

// checkScope refuses a pattern that no package matches: what was to be recorded would be missed in silence.
func (cfg *Config) checkScope(pkgs []*listed) error {
	for _, pattern := range cfg.Instrument {
		if !slices.ContainsFunc(pkgs, func(p *listed) bool { return p.inScope([]string{"=" + strings.TrimPrefix(pattern, "=")}) }) {
			return fmt.Errorf("-instrument %s: %w", pattern, ErrScope)
		}
	}
	return nil
}

// rewriteAll rewrites the files of all packages in scope.
func (plan *Plan) rewriteAll(values []ValueProbe) error {
	cfg, pkgs := &plan.cfg, plan.listed
	plan.Sites = &trace.Sites{Root: plan.Toolchain.ModuleRoot(), Blocks: make([]trace.Block, 1)}
	plan.Originals = make(map[string]string)
	w := &writer{cfg: cfg, plan: plan, values: values, replace: make(map[string]string),
		below: belowRuntime(pkgs), embedded: embedded(pkgs), placed: make([]trace.Block, len(plan.inside))}
	if err := w.readUserOverlay(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(cfg.Out, "src"), 0o777); err != nil {
		return err
	}
	w.callFree = plan.Shadow.panics && !w.hasPoolCleanup(pkgs)
	for _, p := range pkgs {
		if !p.inScope(cfg.Instrument) {
			continue
		}
		if plan.Toolchain.hasFlag(cfg.BuildFlags, "trimpath") && within(cfg.Out, p.Dir) {
			return fmt.Errorf(
				"the instrumented files must not lie in %s: with -trimpath go build would name them instead of the originals",
				p.Dir)
		}
		if p.Module != nil && p.Module.Main && !slices.Contains(plan.Modules, p.Module.Path) {
			plan.Modules = append(plan.Modules, p.Module.Path)
		}
		if err := w.pkg(p); err != nil {
			return err
		}
	}
	w.addInside()
	if plan.Sites.Module = plan.Std; len(plan.Modules) > 0 && plan.Std == "" {
		plan.Sites.Module = plan.Modules[0]
	}
	plan.SitesPath = filepath.Join(cfg.Out, "sites.json")
	if err := writeJSON(plan.SitesPath, plan.Sites); err != nil {
		return err
	}
	plan.Overlay = filepath.Join(cfg.Out, "overlay.json")
	return writeJSON(plan.Overlay, map[string]any{"Replace": w.replace})
}

// A writer writes rewritten files.
type writer struct {
	cfg      *Config
	plan     *Plan
	values   []ValueProbe
	replace  map[string]string // the overlay
	below    map[string]bool   // packages that cannot import the probe runtime
	callFree bool              // call-free code may hold the position in a variable
	embedded map[string]bool   // files that must stay as they are
	placed   []trace.Block     // where the positions inside statements are, once their files are rewritten
}

// userOverlay returns the path of the user's own overlay file: from the configuration, or else
// from GOFLAGS.
func (cfg *Config) userOverlay(tc *Toolchain) string {
	overlay := cfg.Overlay
	if overlay == "" {
		for _, flag := range strings.Fields(tc.GOFLAGS) {
			if value, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "overlay="); ok {
				overlay = value
			}
		}
	}
	if overlay == "" {
		return ""
	}
	return cfg.path(overlay)
}

// path returns name as a path, relative to the directory of the configuration.
func (cfg *Config) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(cfg.Dir, name)
}

// absolute makes the directories absolute, because go build interprets the paths in an overlay
// relative to its working directory.
func (cfg *Config) absolute() error {
	if cfg.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("there is no place for a patched copy of the Go runtime: %w", err)
		}
		cfg.Cache = filepath.Join(dir, "fdebug")
	}
	for _, dir := range []*string{&cfg.Dir, &cfg.Out, &cfg.Cache} {
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		*dir = abs
	}
	return nil
}

func (w *writer) readUserOverlay() error {
	if w.cfg.Overlay == "" {
		return nil
	}
	data, err := os.ReadFile(w.cfg.Overlay)
	if err != nil {
		return err
	}
	var o struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &o); err != nil {
		return fmt.Errorf("overlay %s: %w", w.cfg.Overlay, err)
	}
	for from, to := range o.Replace {
		if to != "" { // "" removes the file
			to = w.cfg.path(to)
		}
		w.replace[w.plan.buildPath(w.cfg.path(from))] = to
	}
	return nil
}

// pkg rewrites the files of one package. It leaves a file alone that does not parse: the build
// will say what is wrong with it.
func (w *writer) pkg(p *listed) error {
	if err := w.refuse(p); err != nil {
		w.plan.Warnings = append(w.plan.Warnings, err)
		return nil
	}
	below := w.below[p.ImportPath]
	if below && !p.DepOnly {
		w.plan.Warnings = append(w.plan.Warnings,
			fmt.Errorf("%s lies below the probe runtime: only its external tests are traced", p.ImportPath))
	}
	files := p.files(below)
	sources := make([][]byte, len(files))
	parsed := make([]*parsedFile, len(files))
	var syntax []*ast.File
	for i, name := range files {
		src, err := os.ReadFile(w.content(name))
		if err != nil {
			return err
		}
		sources[i] = src
		if fset, f, err := parse(name, src); err == nil {
			parsed[i], syntax = &parsedFile{name, src, fset, f}, append(syntax, f)
		}
	}
	names := chooseNames(sources)
	names.noCalls = p.pragmasOf()
	names.calls = w.plan.Toolchain.hasFlag(w.cfg.BuildFlags, "race")
	names.callFree = w.callFree && len(syntax) == len(files)
	names.declared = declaredBy(syntax)
	for _, f := range parsed {
		if err := w.file(p, f, names); err != nil {
			return err
		}
	}
	return nil
}

// A parsedFile is a file to be rewritten.
type parsedFile struct {
	name string
	src  []byte
	fset *token.FileSet
	file *ast.File
}

// refuse returns why a package cannot be rewritten, or nil if it can.
func (w *writer) refuse(p *listed) error {
	if w.plan.Toolchain.inModuleCache(w.plan.buildPath(p.Dir)) {
		return fmt.Errorf(
			"%s is in the module cache, which go build does not let an overlay change: vendor it or replace it with a copy to instrument it",
			p.ImportPath)
	}
	return nil
}

// content returns the path of a file's content, which the user's own overlay or the shadow GOROOT
// may have replaced.
func (w *writer) content(name string) string {
	name = w.plan.buildPath(name)
	if to := w.replace[name]; to != "" {
		return to
	}
	return name
}

// bare notes that a file gets no probes.
func (w *writer) bare(p *listed, name, why string) error {
	err := fmt.Errorf("%s is not recorded: %s", relative(w.plan.Sites.Root, name), why)
	if w.plan.Bare == nil {
		w.plan.Bare = make(map[string][]string)
	}
	path := strings.TrimSuffix(p.ImportPath, "_test")
	w.plan.Bare[path] = append(w.plan.Bare[path], err.Error())
	return err
}

// file rewrites a file. f is nil if the file does not parse.
func (w *writer) file(p *listed, f *parsedFile, names probeNames) error {
	if f == nil {
		return nil
	}
	name := f.name
	if ast.IsGenerated(f.file) && !w.cfg.Generated {
		w.bare(p, name, "it is generated")
		return nil
	}
	if w.embedded[name] {
		w.plan.Warnings = append(w.plan.Warnings, w.bare(p, name, "the program embeds it"))
		return nil
	}
	sites := w.plan.Sites
	tf := trace.File{Path: relative(sites.Root, name), Name: path.Join(p.ImportPath, filepath.Base(name))}
	names.values = w.valuesIn(p, name, f.src)
	names.inside, names.first, names.placed = w.insideOf(p, name, f.src), w.plan.first, w.placed
	if names.shown = ""; w.plan.buildPath(name) != name && !w.plan.Toolchain.hasFlag(w.cfg.BuildFlags, "trimpath") {
		names.shown = name
	}
	text := rewrite(sites, tf, f.fset, f.file, f.src, names)
	if text == nil {
		return nil
	}
	out := filepath.Join(w.cfg.Out, "src", fmt.Sprintf("%d_%s", len(sites.Files), filepath.Base(name)))
	w.plan.Originals[out] = name
	w.replace[w.plan.buildPath(name)] = out
	return os.WriteFile(out, text, 0o666)
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

// relative returns name relative to root, with slashes.
func relative(root, name string) string {
	if rel, err := filepath.Rel(root, name); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(name)
}

func writeJSON(name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}
