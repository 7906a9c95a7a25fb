package trace

import (
	"path/filepath"
	"strings"
)

// A Sites table maps block numbers to source code. One table serves all test
// binaries of an instrumented module; it lies beside them, never inside.
//
// It is kept as JSON ([Sites.WriteFile], [ReadSites]).
type Sites struct {
	Module string // path of the main module
	Root   string // its directory on the machine that built it
	Files  []File
	Funcs  []Func
	Blocks []Block // Blocks[0] is unused: no event is zero
}

// A File is an instrumented source file.
type File struct {
	Path string `json:"path"` // relative to Sites.Root, with slashes
	Name string `json:"name"` // as cover profiles name it: import path of the package + "/" + base name
}

// A Func is a function or function literal.
type Func struct {
	File int    // index in Sites.Files
	Name string // "Get", "(*Queue).Drain", "TestDrain.func1"
	Line int    // first line
	End  int    // last line
}

// InInit reports whether a function is an init function, the initialization of package variables,
// or a function literal inside one. The name is without the package.
func InInit(name string) bool { return name == "init" || strings.HasPrefix(name, "init.") }

// A BlockKind says how control comes to a block.
type BlockKind uint8

const (
	BlockEntry BlockKind = iota // entry of a function
	BlockThen                   // condition of an if was true
	BlockElse                   // condition of an if was false (explicit else)
	BlockLoop                   // an iteration of a for or range statement
	BlockCase                   // a case of a switch
	BlockComm                   // a case of a select
	BlockNext                   // after an if, for, switch, select or label
	BlockCall                   // after a statement with a call: the call returned
	// BlockInside is no block: the position in a statement between what it reads and what it writes. It lies in
	// a block, and its number is behind those of all blocks.
	BlockInside
)

// A Block is a basic block: straight-line code that runs as a whole. Positions are those in the
// file itself; //line comments are ignored.
type Block struct {
	Func      int // index in Sites.Funcs
	Kind      BlockKind
	StartLine int
	StartCol  int // in bytes, from 1
	EndLine   int
	EndCol    int // exclusive
	Stmts     int // number of statements
}

// FileOf returns the index of the file that contains block b.
func (s *Sites) FileOf(b int) int { return s.Funcs[s.Blocks[b].Func].File }

// Frame returns a line of the file of a function as a frame.
func (s *Sites) Frame(fn, line int) Frame {
	f := s.Funcs[fn]
	return Frame{Func: f.Name, File: filepath.Join(s.Root, filepath.FromSlash(s.Files[f.File].Path)), Line: line}
}

// Has reports whether the table has block b. If not, the trace comes from another build.
func (s *Sites) Has(b int) bool { return b > 0 && b < len(s.Blocks) }
