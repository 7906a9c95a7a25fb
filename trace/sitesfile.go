package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

const sitesVersion = 1

// sitesJSON is the file format of a sites table. Functions and blocks are rows of numbers without
// names, because there are hundreds of thousands of them.
type sitesJSON struct {
	Version   int      `json:"fdebug_sites"`
	Module    string   `json:"module"`
	Root      string   `json:"root"`
	Files     []File   `json:"files"`
	FuncNames []string `json:"func_names"`
	// Funcs has a row of funcCols for each function: file, first line, last line.
	Funcs []int `json:"funcs"`
	// Blocks has a row of blockCols for each block except number 0, which is unused: function,
	// kind, start line and column, end line and column, number of statements.
	Blocks []int `json:"blocks"`
}

const (
	funcCols  = 3
	blockCols = 7
	maxLine   = 1 << 30 // of a position, so that it fits any int
)

// MarshalJSON returns the table in the form that [Sites.WriteFile] writes.
func (s Sites) MarshalJSON() ([]byte, error) {
	j := sitesJSON{Version: sitesVersion, Module: s.Module, Root: s.Root, Files: s.Files}
	for _, f := range s.Funcs {
		j.FuncNames = append(j.FuncNames, f.Name)
		j.Funcs = append(j.Funcs, f.File, f.Line, f.End)
	}
	for _, b := range s.Blocks[min(1, len(s.Blocks)):] {
		j.Blocks = append(j.Blocks, b.Func, int(b.Kind), b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.Stmts)
	}
	return json.Marshal(j)
}

// UnmarshalJSON sets s to the table in data, if all of its references and
// positions make sense. Otherwise it returns [ErrNotSites], [ErrVersion] or
// [ErrDamaged], and leaves s as it was.
func (s *Sites) UnmarshalJSON(data []byte) error {
	var j sitesJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("%w: %v", ErrNotSites, err)
	}
	if j.Version == 0 {
		return ErrNotSites
	}
	if j.Version != sitesVersion {
		return fmt.Errorf("%w: sites table %d, this program reads %d", ErrVersion, j.Version, sitesVersion)
	}
	t := Sites{Module: j.Module, Root: j.Root, Files: j.Files}
	if err := t.setFuncs(j.FuncNames, j.Funcs); err != nil {
		return err
	}
	if err := t.setBlocks(j.Blocks); err != nil {
		return err
	}
	*s = t
	return nil
}

// setFuncs sets the functions from their names and rows.
func (s *Sites) setFuncs(names []string, rows []int) error {
	if len(rows) != funcCols*len(names) {
		return damaged("%d numbers for %d functions", len(rows), len(names))
	}
	s.Funcs = make([]Func, len(names))
	for i, name := range names {
		r := rows[funcCols*i:][:funcCols]
		f := Func{File: r[0], Name: name, Line: r[1], End: r[2]}
		if f.File < 0 || f.File >= len(s.Files) {
			return damaged("function %d is in file %d of %d", i, f.File, len(s.Files))
		}
		if f.Line < 0 || f.End < f.Line || f.End > maxLine {
			return damaged("function %d has lines %d to %d", i, f.Line, f.End)
		}
		s.Funcs[i] = f
	}
	return nil
}

// setBlocks sets the blocks from their rows.
func (s *Sites) setBlocks(rows []int) error {
	if len(rows)%blockCols != 0 {
		return damaged("%d numbers of blocks, not a multiple of %d", len(rows), blockCols)
	}
	s.Blocks = make([]Block, 1, 1+len(rows)/blockCols)
	for ; len(rows) > 0; rows = rows[blockCols:] {
		b := Block{
			Func:      rows[0],
			Kind:      BlockKind(rows[1]),
			StartLine: rows[2],
			StartCol:  rows[3],
			EndLine:   rows[4],
			EndCol:    rows[5],
			Stmts:     rows[6],
		}
		if err := s.checkBlock(b, rows[1]); err != nil {
			return damaged("block %d %v", len(s.Blocks), err)
		}
		s.Blocks = append(s.Blocks, b)
	}
	return nil
}

// checkBlock returns an error for a wrong b, whose kind was read as the given number.
func (s *Sites) checkBlock(b Block, kind int) error {
	switch {
	case b.Func < 0 || b.Func >= len(s.Funcs):
		return fmt.Errorf("is in function %d of %d", b.Func, len(s.Funcs))
	case kind < 0 || kind > int(BlockInside):
		return fmt.Errorf("is of kind %d", kind)
	case b.StartLine < 1 || b.EndLine > maxLine || b.StartCol < 1 || b.StartCol > maxLine ||
		b.EndCol < 1 || b.EndCol > maxLine || b.Stmts < 0 || b.Stmts > maxLine,
		b.EndLine < b.StartLine, b.EndLine == b.StartLine && b.EndCol < b.StartCol:
		return fmt.Errorf("is at %d:%d to %d:%d with %d statements", b.StartLine, b.StartCol,
			b.EndLine, b.EndCol, b.Stmts)
	}
	return nil
}

// WriteFile writes the table to the file at path. It writes to another file first, so that there
// is never half a table at path.
func (s *Sites) WriteFile(path string) error {
	return writeAside(path, func(w *bufio.Writer) error {
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		_, err = w.Write(append(b, '\n'))
		return err
	})
}

// ReadSites reads the sites table at path and checks that all of its
// references and positions make sense. Errors are those of
// [Sites.UnmarshalJSON] and of the file system.
func ReadSites(path string) (*Sites, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	var s Sites
	// json.Unmarshal would check the syntax of the whole input first, and call a foreign file a
	// syntax error without saying what was expected.
	if err := s.UnmarshalJSON(b); err != nil {
		return nil, inFile(path, err)
	}
	return &s, nil
}
