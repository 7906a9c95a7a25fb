package analyze

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
)

// A sourceKeeper reads source files for reports. What a report shows is kept
// in the run directory, so that it can be written again after the user has
// gone on editing.
//
// The name of a kept file has a suffix: the run directory may lie in the module
// (-o), and a .go file there would be a package of it to every go command.
type sourceKeeper struct {
	dir  string // where files are kept
	root string // module root, "" if it is not on this machine
	err  error  // the first file that could not be kept
	// replaced has the files that stand for others of the module, by their paths
	replaced map[string]string
	all      sync.Once // keeping all that an edit may change
}

// rootHere returns where the source of the runs is on this machine, "" if it is not.
func (an *Analyzer) rootHere() string {
	if an.Module != "" {
		return an.Module
	}
	if an.Meta.Elsewhere {
		return an.Meta.Module
	}
	return an.Sites.Root
}

// fromModule reads a file where the module is now.
func (k *sourceKeeper) fromModule(name string) ([]byte, error) {
	if k.root == "" {
		return nil, fmt.Errorf("%s: %w: the module is not on this machine", name, fs.ErrNotExist)
	}
	file := filepath.Join(k.root, filepath.FromSlash(name))
	return ReadSource(cmp.Or(k.replaced[file], file))
}

// newSourceKeeper keeps the files that reports show in dir/src, and reads the others from the module at
// root, which is "" if the module is not on this machine.
func newSourceKeeper(dir, root string, replaced map[string]string) *sourceKeeper {
	return &sourceKeeper{dir: filepath.Join(dir, "src"), root: root, replaced: replaced}
}

// KeepErr returns why a file that the reports show could not be kept for later,
// nil if all were.
func (an *Analyzer) KeepErr() error { return an.sources.err }

// peek returns a file as it was when the tests were built, as far as that is known,
// and does not keep it.
func (k *sourceKeeper) peek(name string) ([]byte, error) {
	if filepath.IsLocal(filepath.FromSlash(name)) {
		if data, err := ReadSource(filepath.Join(k.dir, filepath.FromSlash(name)+KeptSuffix)); err == nil {
			return data, nil
		}
	}
	return k.fromModule(name)
}

func (k *sourceKeeper) read(name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		// Another module of the workspace, outside of the root.
		return k.fromModule(name)
	}
	kept := filepath.Join(k.dir, filepath.FromSlash(name)+KeptSuffix)
	data, err := ReadSource(kept)
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	if data, err = k.fromModule(name); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o777); err != nil {
		k.keepErr(err)
	} else if err := os.WriteFile(kept, data, 0o666); err != nil {
		k.keepErr(err)
	}
	return data, nil
}

// KeepSources keeps all that an edit may change: the Go files of the directories that were recorded, and go.mod. What
// an edit has changed is found out from them.
func (an *Analyzer) KeepSources() { an.sources.all.Do(an.keepSources) }

func (an *Analyzer) keepSources() {
	done := map[string]bool{}
	for _, f := range an.Sites.Files {
		dir := path.Dir(f.Path)
		if done[dir] || !filepath.IsLocal(filepath.FromSlash(dir)) {
			continue
		}
		done[dir] = true
		list, _ := fs.Glob(os.DirFS(filepath.Join(an.sources.root, filepath.FromSlash(dir))), "*.go")
		for _, name := range list {
			an.sources.read(path.Join(dir, name))
		}
	}
	an.sources.read("go.mod")
}

// KeptSuffix is appended to the names of kept source files.
const KeptSuffix = ".txt"

// maxSource is the size of a source file up to which it is read.
const maxSource = 32 << 20

// ReadSource reads a file that is named in a site table or in a profile. That
// may be damaged, and the name be that of a device without an end.
func ReadSource(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil, fmt.Errorf("%s is no source file", name)
	}
	return os.ReadFile(name)
}

func (k *sourceKeeper) keepErr(err error) {
	if k.err == nil {
		k.err = err
	}
}
