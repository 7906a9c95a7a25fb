package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"

	"github.com/fdebug/fdebug/internal/source"
)

// A Known is what the go command says about the packages of a site table, kept for use without a
// go command: a [source.Known].
type Known struct {
	Arch     string         `json:"goarch"`
	Packages []knownPackage `json:"packages"`
	// Sizes has the lengths of the export data of the packages that the user's import, in the
	// order in which they are in Exports.
	Sizes   []knownExport `json:"exports"`
	Exports []byte        `json:"-"`
}

// A knownPackage is one of the user's packages, in one of its variants, or a package that these
// import.
type knownPackage struct {
	ID      string            `json:"id"`
	Name    string            `json:"name"`
	Path    string            `json:"path"`
	Dir     string            `json:"dir,omitempty"`   // relative to the root of the sites
	Files   []string          `json:"files,omitempty"` // relative too; only for the user's packages
	Imports map[string]string `json:"imports,omitempty"`
	Go      string            `json:"go,omitempty"` // version of the language
	Root    bool              `json:"root,omitempty"`
}

type knownExport struct {
	Path string `json:"path"`
	Size int    `json:"size"`
}

// Know asks the go command.
func Know(ctx context.Context, cfg source.Config, goarch string) (*Known, error) {
	l, err := source.List(ctx, cfg)
	if err != nil {
		return nil, err
	}
	k := &Known{Arch: goarch}
	k.add(l, cfg.Sites.Root)
	for _, p := range k.Packages {
		file := l.Exported[p.Path]
		if file == "" || slices.ContainsFunc(k.Sizes, func(e knownExport) bool { return e.Path == p.Path }) {
			continue
		}
		data, err := ExportData(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Path, err)
		}
		k.Sizes = append(k.Sizes, knownExport{p.Path, len(data)})
		k.Exports = append(k.Exports, data...)
	}
	return k, context.Cause(ctx)
}

// ExportData returns the part of a compiled package that says what it exports.
func ExportData(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// add adds the user's packages and what they import.
func (k *Known) add(l *source.Listed, root string) {
	packages.Visit(l.Roots, l.Own, func(p *packages.Package) {
		kp := knownPackage{ID: p.ID, Name: p.Name, Path: p.PkgPath}
		if l.Own(p) {
			kp.Dir, kp.Root = relativeTo(root, p.Dir), slices.Contains(l.Roots, p)
			if p.Module != nil {
				kp.Go = p.Module.GoVersion
			}
			for _, f := range p.GoFiles {
				kp.Files = append(kp.Files, relativeTo(root, f))
			}
			kp.Imports = make(map[string]string)
			for path, dep := range p.Imports {
				kp.Imports[path] = dep.ID
			}
		}
		k.Packages = append(k.Packages, kp)
	})
}

func relativeTo(root, name string) string {
	if rel, err := filepath.Rel(root, name); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(name)
}

// Encode returns k in two parts.
func (k *Known) Encode() (table, exports []byte, err error) {
	table, err = json.Marshal(k)
	return table, k.Exports, err
}

// DecodeKnown reads what Encode has returned.
func DecodeKnown(table, exports []byte) (*Known, error) {
	k := &Known{Exports: exports}
	if err := json.Unmarshal(table, k); err != nil {
		return nil, err
	}
	left := len(exports)
	for _, e := range k.Sizes {
		if e.Size < 0 || e.Size > left {
			return nil, fmt.Errorf("%s exports %d bytes of %d", e.Path, e.Size, left)
		}
		left -= e.Size
	}
	return k, nil
}

// GOARCH returns that of the tests.
func (k *Known) GOARCH() string { return k.Arch }

// Roots returns the packages with the given import paths, with their tests.
func (k *Known) Roots(root string, paths []string) []*packages.Package {
	byID := make(map[string]*packages.Package)
	for _, kp := range k.Packages {
		p := &packages.Package{ID: kp.ID, Name: kp.Name, PkgPath: kp.Path, Imports: make(map[string]*packages.Package)}
		for _, f := range kp.Files {
			p.GoFiles = append(p.GoFiles, filepath.Join(root, filepath.FromSlash(f)))
		}
		if len(kp.Files) > 0 {
			p.Dir = filepath.Join(root, filepath.FromSlash(kp.Dir))
		}
		if kp.Go != "" {
			p.Module = &packages.Module{GoVersion: strings.TrimPrefix(kp.Go, "go")}
		}
		byID[kp.ID] = p
	}
	var roots []*packages.Package
	for _, kp := range k.Packages {
		p := byID[kp.ID]
		for path, id := range kp.Imports {
			if dep := byID[id]; dep != nil {
				p.Imports[path] = dep
			}
		}
		if kp.Root && (slices.Contains(paths, kp.Path) ||
			slices.Contains(paths, strings.TrimSuffix(kp.Path, "_test"))) {
			roots = append(roots, p)
		}
	}
	return roots
}

// Export returns the export data of a package, or nil if it is unknown.
func (k *Known) Export(path string) io.Reader {
	at := 0
	for _, e := range k.Sizes {
		if e.Path == path {
			return bytes.NewReader(k.Exports[at : at+e.Size])
		}
		at += e.Size
	}
	return nil
}
