package trace

import (
	"path"
	"strings"
)

// A Span is a range of lines in a file, both ends included.
type Span struct {
	File  string `json:"file"` // relative to Sites.Root, with slashes
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Pos returns the lines that block b stands on, false if the table has no such
// block.
func (s *Sites) Pos(b int) (Span, bool) {
	if !s.Has(b) {
		return Span{}, false
	}
	start, end := s.Blocks[b].Lines()
	return Span{File: s.Files[s.FileOf(b)].Path, Start: start, End: end}, true
}

// Lines returns the first and the last line of b. A line that b only reaches
// the beginning of is not one of them.
func (b Block) Lines() (start, end int) {
	if b.EndCol <= 1 && b.EndLine > b.StartLine {
		return b.StartLine, b.EndLine - 1
	}
	return b.StartLine, b.EndLine
}

// SharesLine reports whether block b begins on a line on which code of another function
// begins before it: b is of a function literal that is written within the line.
func (s *Sites) SharesLine(b int) bool {
	if !s.Has(b) {
		return false
	}
	x := s.Blocks[b]
	for i := range s.Blocks {
		if o := s.Blocks[i]; s.Has(i) && o.Func != x.Func && o.StartLine == x.StartLine && o.StartCol < x.StartCol && s.FileOf(i) == s.FileOf(b) {
			return true
		}
	}
	return false
}

// Rel returns the path of a file of the module relative to its root, with
// slashes, for a name that a [Frame] has for it: an absolute path or, in a
// binary built with -trimpath, import path and base name. It returns false for
// files of std, of other modules and below a vendor directory, unless they are
// in the table.
func (s *Sites) Rel(file string) (string, bool) {
	file = slashes(file)
	if !absolute(file) {
		return s.relImport(file)
	}
	rel, ok := strings.CutPrefix(path.Clean(file), strings.TrimSuffix(slashes(s.Root), "/")+"/")
	if !ok || s.Root == "" {
		return "", false
	}
	return rel, s.ours(rel)
}

// Beside returns the path, relative to the root and with slashes, of a file of a module that
// lies elsewhere in the user's directories, as go.mod has it with a replace: "../lib/x.go". It returns
// false for files that Rel knows, of std, and of modules that were downloaded or vendored.
func (s *Sites) Beside(f Frame) (string, bool) {
	file := path.Clean(slashes(f.File))
	if _, ours := s.Rel(f.File); ours || s.Root == "" || !absolute(file) || !absolute(slashes(s.Root)) || ofStd(f.Func, path.Dir(file)) {
		return "", false
	}
	if strings.Contains(file, "/vendor/") || strings.Contains(file, "@v") || path.Ext(file) != ".go" { // assembler stands for others' code
		return "", false
	}
	from, to := strings.Split(path.Clean(slashes(s.Root)), "/"), strings.Split(file, "/")
	n := 0
	for n < len(from) && n < len(to)-1 && from[n] == to[n] {
		n++
	}
	if from[0] != to[0] { // another drive
		return "", false
	}
	return strings.Repeat("../", len(from)-n) + strings.Join(to[n:], "/"), true
}

// ofStd reports whether a function is one of the standard library, by its package, whose path
// has no dot in its first element, and by where that lies; some of package runtime lie in internal
// packages and go by its name all the same, and some in it go by the name of another one that calls them.
func ofStd(fn, dir string) bool {
	if fn == "" {
		return true // nothing is known of it
	}
	slash := strings.LastIndexByte(fn, '/')
	pkg, _, _ := strings.Cut(fn[slash+1:], ".")
	pkg = fn[:slash+1] + pkg
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".") && (strings.HasSuffix(dir, "/src/"+pkg) || strings.HasSuffix(dir, "/src/runtime") || strings.Contains(dir, "/src/internal/"))
}

// relImport is Rel for the names of -trimpath.
func (s *Sites) relImport(name string) (string, bool) {
	dir, base := path.Split(name)
	// Files of an external test package are named after the package.
	outer := strings.TrimSuffix(dir, "_test/") + "/" + base
	for _, f := range s.Files {
		if f.Name == name || f.Name == outer {
			return f.Path, true
		}
	}
	rel, ok := strings.CutPrefix(name, s.Module+"/")
	if !ok || s.Module == "" {
		return "", false
	}
	return rel, s.ours(rel)
}

// ours reports whether the file at rel below the root is of the module itself.
func (s *Sites) ours(rel string) bool {
	if !strings.HasPrefix(rel, "vendor/") && !strings.Contains(rel, "/vendor/") && !strings.Contains(rel, "@v") {
		return true
	}
	for _, f := range s.Files {
		if f.Path == rel {
			return true
		}
	}
	return false
}

// slashes returns a path with slashes, also if it is of a machine that has
// other separators than this one.
func slashes(p string) string {
	if drive(p) || strings.HasPrefix(p, `\\`) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

func absolute(p string) bool { return strings.HasPrefix(p, "/") || drive(p) }

// drive reports whether p begins with a drive letter, `C:\` or `C:/`.
func drive(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}
