package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fdebug/fdebug/internal/provenance"
)

// version is the version of the format.
const version = 1

const (
	// Names of entries.
	manifestName  = "bundle.json"
	SitesName     = "sites.json"
	SourceTable   = "source/packages.json"
	SourceExports = "source/exports"
	TreeDir       = "tree"
	binDir        = "bin"

	// Limits for reading.
	maxManifest = 64 << 20 // and, beyond the first MB, for each file
	maxEach     = 16 << 10
	maxFile     = 4 << 30
	maxTotal    = 32 << 30
	maxRatio    = 1000 // of all that is unpacked to the bundle file
	maxName     = 4096
)

var (
	// ErrFormat is returned for a file that is not a bundle, or a damaged one.
	ErrFormat = errors.New("not an fdebug bundle, or damaged")
	// ErrVersion is returned for a bundle of a newer fdebug.
	ErrVersion = errors.New("made by a newer fdebug")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFormat}, args...)...)
}

// Suffix is the usual one of a bundle's name.
const Suffix = ".fdz"

// BinaryName returns the name of the binary of a kind (plain, traced, race) of the n-th package.
// Its last element is the name that go test uses, because tests look at it.
func BinaryName(n int, kind, base string) string {
	return path.Join(binDir, strconv.Itoa(n), kind, base)
}

// IsRace reports whether a file is a binary with the race detector.
func IsRace(name string) bool {
	parts := strings.Split(name, "/")
	return len(parts) == 4 && parts[0] == binDir && parts[2] == "race"
}

// IsBinary reports whether a file is a test binary of any kind.
func IsBinary(name string) bool { return strings.HasPrefix(name, binDir+"/") }

// OnBuilder returns the path that a directory of the tree had where the bundle was built.
func (m *Manifest) OnBuilder(dir string) string {
	if dir == "." {
		return m.Base
	}
	sep := "/"
	if windowsAbs(m.Base) {
		sep = `\`
	}
	return strings.TrimSuffix(m.Base, sep) + sep + strings.ReplaceAll(dir, "/", sep)
}

// A Manifest says what is in a bundle and how it was built.
type Manifest struct {
	Format int    `json:"fdebug_bundle"`
	Fdebug string `json:"fdebug"` // version of the fdebug that made it

	Go     string `json:"go"` // "go1.26.8"
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	GOROOT string `json:"goroot"` // where the standard library was, as in the binaries

	Modules []string          `json:"modules"` // the user's modules, the main one first
	Base    string            `json:"base"`    // the directory that tree/ is a copy of
	Root    string            `json:"root"`    // the main module's directory, relative to Base
	Origin  provenance.Origin `json:"origin"`

	// How it was built.
	Patterns   []string `json:"patterns"`
	Flags      []string `json:"flags,omitempty"` // the user's
	Added      []string `json:"added,omitempty"` // fdebug's; with both, the same binaries are built again
	Vet        string   `json:"vet,omitempty"`
	Instrument []string `json:"instrument,omitempty"`
	Generated  bool     `json:"generated,omitempty"`

	Packages []Package `json:"packages"`
	// NoRace says why there are no binaries with the race detector.
	NoRace string `json:"no_race,omitempty"`
	// Notes say what the tests may need that is not in the bundle.
	Notes []string `json:"notes,omitempty"`
	Files []File   `json:"files"`
}

// Commit returns the commit in few digits, with a mark for changes, or "" if it is unknown.
func (m *Manifest) Commit() string {
	c := m.Origin.Commit
	if c == "" {
		return ""
	}
	c = c[:min(len(c), 12)]
	if m.Origin.Modified {
		c += " with changes that are not committed"
	}
	return c
}

// A Package is a package with tests.
type Package struct {
	ImportPath string `json:"import_path"`
	Dir        string `json:"dir"` // relative to Base
	Plain      string `json:"plain"`
	Traced     string `json:"traced,omitempty"`
	Race       string `json:"race,omitempty"`
	// TracedErr says why there is no binary with probes.
	TracedErr string `json:"traced_err,omitempty"`
}

// A File is an entry.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	Exec   bool   `json:"exec,omitempty"`
	Link   string `json:"link,omitempty"` // target of a symbolic link, relative to its directory
}

// parseManifest reads a manifest that may be hostile.
func parseManifest(data []byte) (*Manifest, error) {
	var v struct {
		Format *int `json:"fdebug_bundle"`
	}
	if err := json.Unmarshal(data, &v); err != nil || v.Format == nil || *v.Format < 1 {
		return nil, damaged("%s says no version", manifestName)
	}
	if *v.Format > version {
		return nil, fmt.Errorf("%w: bundle format %d, this program reads %d", ErrVersion, *v.Format, version)
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, damaged("%s: %v", manifestName, err)
	}
	return m, m.check()
}

// check refuses anything that leads out of the directory that a bundle is unpacked to, and
// anything inconsistent.
func (m *Manifest) check() error {
	files, err := m.checkFiles()
	if err != nil {
		return err
	}
	if !filepath.IsAbs(m.Base) && !path.IsAbs(m.Base) && !windowsAbs(m.Base) {
		return damaged("base %q is no absolute path", m.Base)
	}
	if !local(m.Root) {
		return damaged("root %q", m.Root)
	}
	if f := files[SitesName]; f == nil || f.Link != "" {
		return damaged("no %s", SitesName)
	}
	if len(m.Packages) == 0 {
		return damaged("no packages")
	}
	if err := m.checkWords(); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, p := range m.Packages {
		if p.ImportPath == "" || seen[p.ImportPath] || !local(p.Dir) {
			return damaged("package %q in %q", p.ImportPath, p.Dir)
		}
		seen[p.ImportPath] = true
		for _, bin := range []string{p.Plain, p.Traced, p.Race} {
			f := files[bin]
			if bin == "" && bin != p.Plain {
				continue
			}
			if f == nil || f.Link != "" || !f.Exec || !strings.HasPrefix(bin, binDir+"/") {
				return damaged("package %q has no binary %q", p.ImportPath, bin)
			}
		}
	}
	return nil
}

// checkWords refuses text that must not be written to a terminal.
func (m *Manifest) checkWords() error {
	words := []string{m.Fdebug, m.Go, m.GOOS, m.GOARCH, m.Base, m.GOROOT, m.NoRace,
		m.Origin.Commit, m.Origin.Branch}
	words = slices.Concat(words, m.Modules, m.Patterns, m.Flags, m.Notes)
	for _, p := range m.Packages {
		words = append(words, p.ImportPath, p.Dir, strings.NewReplacer("\n", "", "\t", "").Replace(p.TracedErr))
	}
	for _, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return damaged("%q is not to be printed", w)
		}
	}
	return nil
}

// checkFiles checks the list of files, and returns it by name.
func (m *Manifest) checkFiles() (map[string]*File, error) {
	files := make(map[string]*File, len(m.Files))
	total := int64(0)
	for i := range m.Files {
		f := &m.Files[i]
		switch {
		case !local(f.Name) || f.Name == "." || f.Name == manifestName:
			return nil, damaged("a file is called %q", f.Name)
		case files[f.Name] != nil:
			return nil, damaged("two files are called %q", f.Name)
		case f.Size < 0 || f.Size > maxFile:
			return nil, damaged("%q: %d bytes", f.Name, f.Size)
		case f.Link != "" && (f.Size != 0 || !strings.HasPrefix(f.Name, TreeDir+"/") || !staysInside(f.Name, f.Link)):
			return nil, damaged("%q is a link to %q", f.Name, f.Link)
		}
		if total += f.Size; total > maxTotal {
			return nil, damaged("more than %d GB", int64(maxTotal)>>30)
		}
		files[f.Name] = f
	}
	for name := range files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if files[dir] != nil {
				return nil, damaged("%q lies below %q, which is no directory", name, dir)
			}
		}
	}
	return files, nil
}

// local reports whether a name with slashes is that of a file below a directory, on any system.
func local(name string) bool {
	if len(name) > maxName || !fs.ValidPath(name) || strings.ContainsAny(name, "\x00") {
		return false
	}
	_, err := filepath.Localize(name)
	return err == nil
}

// staysInside reports whether a link in the tree leads to a place in the tree, whatever other
// links it goes through: it goes up first, no further than the tree, and then down. No entry is
// below a link, so the directories above it are real ones.
func staysInside(name, target string) bool {
	if len(target) > maxName || target == "" || path.IsAbs(target) || filepath.IsAbs(filepath.FromSlash(target)) ||
		strings.ContainsAny(target, "\\\x00:") {
		return false
	}
	dir := strings.Count(name, "/") - 1 // directories between the tree and the link
	rest := target
	for rest == ".." || strings.HasPrefix(rest, "../") {
		rest = strings.TrimPrefix(rest[2:], "/")
		dir--
	}
	return dir >= 0 && (rest == "" || local(rest))
}

// windowsAbs reports whether a path is absolute on Windows.
func windowsAbs(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') || strings.HasPrefix(p, `\\`)
}
