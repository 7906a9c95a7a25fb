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
