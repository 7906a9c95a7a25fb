package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A listed package is what go list prints about one.
type listed struct {
	ImportPath   string
	Dir          string
	Name         string
	Standard     bool
	DepOnly      bool
	ForTest      string
	Module       *listedModule
	Imports      []string
	GoFiles      []string
	CgoFiles     []string
	TestGoFiles  []string
	XTestGoFiles []string
	// Files that go:embed puts into the package, its tests and its external tests.
	EmbedFiles, TestEmbedFiles, XTestEmbedFiles []string
	Error                                       *struct{ Err string }
}

type listedModule struct {
	Path      string
	Version   string
	Replace   *listedModule
	Main      bool
	Dir       string
	GoVersion string
}

// wantsNewer reports whether the module of a package asks for a newer version of Go than any that is known.
func (p *listed) wantsNewer() bool {
	return p.Module != nil && version.Compare("go"+p.Module.GoVersion, newest) > 0
}

// listPackages runs go list on the patterns, with everything that their tests link.
func listPackages(ctx context.Context, cfg *Config) ([]*listed, error) {
	args := append([]string{"list", "-e", "-deps", "-test",
		"-json=ImportPath,Dir,Name,Standard,DepOnly,ForTest,Module,Imports,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,EmbedFiles,TestEmbedFiles,XTestEmbedFiles,Error"},
		cfg.BuildFlags...)
	if cfg.Overlay != "" { // it may add files that are not on disk
		args = append(args, "-overlay="+cfg.Overlay)
	}
	cmd := exec.CommandContext(ctx, cfg.GoCmd, append(append(args, "--"), cfg.Patterns...)...)
	cmd.Dir = cfg.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("go list: %s", firstOf(stderr.String(), err))
	}
	return decodePackages(out)
}

func decodePackages(out []byte) ([]*listed, error) {
	var pkgs []*listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.ForTest == "" && !p.testMain() {
			pkgs = append(pkgs, p)
		}
	}
}

// testMain reports whether the go command has generated the package, as the main package of a
// test binary. Then its file is in the build cache. A user's package can have such a name too.
func (p *listed) testMain() bool {
	return strings.HasSuffix(p.ImportPath, ".test") && p.Name == "main" &&
		!slices.ContainsFunc(p.GoFiles, func(f string) bool { return !filepath.IsAbs(f) })
}

// files returns the names of the package's files that get probes. Test files are included only if
// the tests themselves are built. If the package is below the probe runtime, only its external
// tests can import the runtime.
func (p *listed) files(below bool) []string {
	var files []string
	if !below {
		files = append(append(files, p.GoFiles...), p.CgoFiles...)
		if !p.DepOnly {
			files = append(files, p.TestGoFiles...)
		}
	}
	if !p.DepOnly {
		files = append(files, p.XTestGoFiles...)
	}
	for i, f := range files {
		if !filepath.IsAbs(f) {
			files[i] = filepath.Join(p.Dir, f)
		}
	}
	return files
}

// embedded returns the files that programs embed unchanged, by their path. A go command embeds
// the file of an overlay instead, so programs would see probes in it.
func embedded(pkgs []*listed) map[string]bool {
	files := make(map[string]bool)
	for _, p := range pkgs {
		for _, f := range slices.Concat(p.EmbedFiles, p.TestEmbedFiles, p.XTestEmbedFiles) {
			files[filepath.Join(p.Dir, filepath.FromSlash(f))] = true
		}
	}
	return files
}

// inScope reports whether the package gets probes: packages of the main module or workspace do,
// and those that match a pattern of -instrument.
func (p *listed) inScope(patterns []string) bool {
	if p.Dir == "" || p.ImportPath == "unsafe" {
		return false
	}
	for _, pat := range patterns {
		if matchPattern(pat, p.ImportPath) {
			return true
		}
	}
	return p.Module != nil && p.Module.Main && len(patterns) == 0 ||
		p.Module != nil && p.Module.Main && !narrows(patterns)
}

// narrows reports whether a pattern restricts the scope to the named packages.
func narrows(patterns []string) bool {
	for _, p := range patterns {
		if strings.HasPrefix(p, "=") {
			return true
		}
	}
	return false
}

// matchPattern reports whether an import path matches a pattern in the way of the go command:
// "..." stands for any string, and "/..." at the end also for the empty string, so "p/..."
// matches p.
func matchPattern(pattern, path string) bool {
	re := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimPrefix(pattern, "=")), `\.\.\.`, `.*`)
	if base, ok := strings.CutSuffix(re, `/.*`); ok {
		re = base + `(/.*)?`
	}
	return regexp.MustCompile(`^(?s:` + re + `)$`).MatchString(path)
}
