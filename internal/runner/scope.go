package runner

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A scope separates user code from libraries and the standard library.
type scope struct {
	modules []string // paths of the user's modules
	root    string   // their directory
}

// user reports whether a frame is in user code, by its function if that is known, else by its
// file.
func (s *scope) user(f trace.Frame) bool {
	if f.Func != "" {
		return s.inModule(packageOf(f.Func))
	}
	file := filepath.ToSlash(f.File)
	if strings.Contains(file, "/vendor/") {
		return false
	}
	if rest, ok := strings.CutPrefix(file, filepath.ToSlash(s.root)+"/"); ok && s.root != "" {
		return !strings.HasPrefix(rest, "vendor/")
	}
	// With -trimpath files are named by import path.
	return s.inModule(file[:max(strings.LastIndexByte(file, '/'), 0)])
}

func (s *scope) inModule(pkg string) bool {
	return slices.ContainsFunc(s.modules, func(m string) bool {
		return pkg == m || pkg == m+"_test" || strings.HasPrefix(pkg, m+"/")
	})
}

// first returns the first frame in user code.
func (s *scope) first(frames []trace.Frame) (trace.Frame, bool) {
	if i := slices.IndexFunc(frames, s.user); i >= 0 {
		return frames[i], true
	}
	return trace.Frame{}, false
}

// packageOf returns the import path in a function's name. Dots in its last element are written as
// %2e there.
func packageOf(fn string) string {
	slash := strings.LastIndexByte(fn, '/')
	dot := strings.IndexByte(fn[slash+1:], '.')
	if dot < 0 {
		return fn
	}
	return strings.ReplaceAll(fn[:slash+1+dot], "%2e", ".")
}
