package trace

// A Sites table maps block numbers to source code. One table serves all test
// binaries of an instrumented module; it lies beside them, never inside.
type Sites struct {
	Module string  `json:"module"` // path of the main module
	Root   string  `json:"root"`   // its directory on the machine that built it
	Files  []File  `json:"files"`
	Funcs  []Func  `json:"funcs"`
	Blocks []Block `json:"blocks"` // Blocks[0] is unused: no event is zero
}

// A File is an instrumented source file.
type File struct {
	Path string `json:"path"` // relative to Sites.Root, with slashes
	Name string `json:"name"` // as cover profiles name it: import path of the package + "/" + base name
}

// A Func is a function or function literal.
type Func struct {
	File int    `json:"file"` // index in Sites.Files
	Name string `json:"name"` // "Get", "(*Queue).Drain", "TestDrain.func1"
	Line int    `json:"line"` // first line
	End  int    `json:"end"`  // last line
}

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
	BlockCall                   // after a statement that contains a call, so: the call returned
)

// A Block is a basic block: a piece of straight-line code that runs as a
// whole. Positions are those of the file itself, whatever //line says.
type Block struct {
	Func      int       `json:"func"` // index in Sites.Funcs
	Kind      BlockKind `json:"kind"`
	StartLine int       `json:"l0"`
	StartCol  int       `json:"c0"`
	EndLine   int       `json:"l1"`
	EndCol    int       `json:"c1"` // exclusive
	Stmts     int       `json:"n"`  // number of statements
}

// FileOf returns the index of the file that block b stands in.
func (s *Sites) FileOf(b int) int { return s.Funcs[s.Blocks[b].Func].File }
