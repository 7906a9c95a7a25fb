package trace

import (
	"path"
	"slices"
	"strings"
)

// A Span is a range of lines in a file, both ends included.
type Span struct {
	File  string `json:"file"` // relative to Sites.Root, with slashes
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// LineOf is one line of a file.
func LineOf(file string, n int) Span { return Span{File: file, Start: n, End: n} }

// Has reports whether a line of a file is one of s.
func (s Span) Has(file string, line int) bool {
	return file == s.File && s.Start <= line && line <= s.End
}

// Meets reports whether s and o have a line in common.
func (s Span) Meets(o Span) bool { return s.File == o.File && s.Start <= o.End && o.Start <= s.End }

// Text returns the lines of s in the source of its file, as far as it has them.
func (s Span) Text(src []byte) string {
	lines := strings.Split(string(src), "\n")
	return strings.Join(lines[min(max(s.Start-1, 0), len(lines)):min(s.End, len(lines))], "\n")
}

// Pos returns the lines of block b, or false if the table has no such block.
func (s *Sites) Pos(b int) (Span, bool) {
	if !s.Has(b) {
		return Span{}, false
	}
	start, end := s.Blocks[b].Lines()
	return Span{File: s.Files[s.FileOf(b)].Path, Start: start, End: end}, true
}

// Lines returns the first and the last line of b. If b ends at the first column of a line, that
// line is not included.
func (b Block) Lines() (start, end int) {
	if b.EndCol <= 1 && b.EndLine > b.StartLine {
		return b.StartLine, b.EndLine - 1
	}
	return b.StartLine, b.EndLine
}

// Rel returns the path of a file of the module relative to its root, with slashes. file is the
// name that a [Frame] has: an absolute path or, in a binary built with -trimpath, import path and
// base name. It returns false for files of the standard library, of other modules and below a
// vendor directory, unless they are in the table.
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

// Beside returns the path of a file of a module that go.mod replaces with a directory of the
// user's, relative to the root and with slashes: "../lib/x.go". It returns false for files that
// Rel knows, for the standard library, and for modules that were downloaded or vendored.
func (s *Sites) Beside(f Frame) (string, bool) {
	file := path.Clean(slashes(f.File))
	if _, ours := s.Rel(f.File); ours || s.Root == "" || !absolute(file) || !absolute(slashes(s.Root)) ||
		ofStd(f.Func, path.Dir(file)) {
		return "", false
	}
	if strings.Contains(file, "/vendor/") || strings.Contains(file, "@v") || path.Ext(file) != ".go" {
		// assembly is never the user's
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

// ofStd reports whether a function is in the standard library, by its package and its directory.
// The path of such a package has no dot in its first element. Some functions of internal packages
// have names of package runtime, and some functions of package runtime have the name of the
// package that calls them.
func ofStd(fn, dir string) bool {
	if fn == "" {
		return true // nothing is known of it
	}
	slash := strings.LastIndexByte(fn, '/')
	pkg, _, _ := strings.Cut(fn[slash+1:], ".")
	pkg = fn[:slash+1] + pkg
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".") &&
		(strings.HasSuffix(dir, "/src/"+pkg) || strings.HasSuffix(dir, "/src/runtime") ||
			strings.Contains(dir, "/src/internal/"))
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
		return name, slices.ContainsFunc(s.Files, func(f File) bool { return f.Path == name }) // it is so already
	}
	return rel, s.ours(rel)
}

// ours reports whether the file at rel, relative to the root, belongs to the module itself.
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

// slashes returns a path with slashes, even if it comes from a machine with another separator.
func slashes(p string) string {
	if drive(p) || strings.HasPrefix(p, `\\`) {
		return strings.ReplaceAll(p, `\`, "/")
	}
	return p
}

func absolute(p string) bool { return strings.HasPrefix(p, "/") || drive(p) }

// drive reports whether p begins with a drive letter, as in `C:\` or `C:/`.
func drive(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}
