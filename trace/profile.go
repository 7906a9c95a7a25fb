package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"

	"golang.org/x/tools/cover"
)

// Profiles returns coverage profiles of the goroutines gs, of mode "count", one for each file of the packages that ran,
// sorted by file name. For chunks whose content was not kept the counts are lower bounds; see [Trace.Truncated].
func (s *Sites) Profiles(gs []*Goroutine) ([]*cover.Profile, error) {
	counts, _, err := s.Counts(gs)
	if err != nil {
		return nil, err
	}
	blocks := make([][]cover.ProfileBlock, len(s.Files))
	ran := make(map[string]bool) // packages
	for n := 1; n < len(s.Blocks); n++ {
		b, file := s.Blocks[n], s.FileOf(n)
		if b.Kind == BlockInside {
			continue
		}
		blocks[file] = append(blocks[file], cover.ProfileBlock{
			StartLine: b.StartLine, StartCol: b.StartCol,
			EndLine: b.EndLine, EndCol: b.EndCol,
			NumStmt: b.Stmts, Count: int(counts[n]),
		})
		if counts[n] > 0 {
			ran[path.Dir(s.Files[file].Name)] = true
		}
	}
	var profiles []*cover.Profile
	for i, f := range s.Files {
		if len(blocks[i]) > 0 && ran[path.Dir(f.Name)] {
			profiles = append(profiles, &cover.Profile{FileName: f.Name, Mode: "count", Blocks: flatten(blocks[i])})
		}
	}
	slices.SortStableFunc(profiles, func(a, b *cover.Profile) int { return cmp.Compare(a.FileName, b.FileName) })
	return profiles, nil
}

// WriteProfiles writes profiles as `go test -coverprofile` does. They must all have the same
// mode.
func WriteProfiles(w io.Writer, profiles []*cover.Profile) error {
	mode := "count"
	if len(profiles) > 0 {
		mode = profiles[0].Mode
	}
	buf := bufio.NewWriter(w)
	fmt.Fprintf(buf, "mode: %s\n", mode)
	for _, p := range profiles {
		if p.Mode != mode {
			return fmt.Errorf("trace: coverage profiles of modes %s and %s can't be in one file", mode, p.Mode)
		}
		for _, b := range p.Blocks {
			fmt.Fprintf(buf, "%s:%d.%d,%d.%d %d %d\n", p.FileName, b.StartLine, b.StartCol, b.EndLine,
				b.EndCol, b.NumStmt, b.Count)
		}
	}
	return buf.Flush()
}

// flatten returns blocks in order and without overlap. Go's cover tool colours a file in one
// pass, and loses its place when blocks overlap. But a block may continue after a function
// literal, which has blocks of its own. Such a block is split around them, and its statements
// count for its first part.
func flatten(blocks []cover.ProfileBlock) []cover.ProfileBlock {
	slices.SortStableFunc(blocks, func(a, b cover.ProfileBlock) int {
		return cmp.Or(start(a).compare(start(b)), end(b).compare(end(a)))
	})
	var f flattener
	for _, b := range mergeEqual(blocks) {
		f.add(b)
	}
	f.close(f.open)
	return f.flat
}

// mergeEqual adds up the counts of adjacent blocks with the same extent, and drops empty ones.
func mergeEqual(blocks []cover.ProfileBlock) []cover.ProfileBlock {
	out := blocks[:0]
	for _, b := range blocks {
		last := len(out) - 1
		switch {
		case start(b).compare(end(b)) >= 0:
		case last >= 0 && start(out[last]) == start(b) && end(out[last]) == end(b):
			out[last].Count += b.Count
			out[last].NumStmt = max(out[last].NumStmt, b.NumStmt)
		default:
			out = append(out, b)
		}
	}
	return out
}

// A point is a position in a file.
type point struct{ line, col int }

func (p point) compare(q point) int {
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col))
}

func start(b cover.ProfileBlock) point { return point{b.StartLine, b.StartCol} }
func end(b cover.ProfileBlock) point   { return point{b.EndLine, b.EndCol} }

// A flattener splits blocks, sorted by their start, where others lie inside them.
type flattener struct {
	flat []cover.ProfileBlock
	open []cover.ProfileBlock // blocks around the cursor, outermost first
	at   point                // the cursor: all before it is in flat
}

// add moves the cursor to the start of b.
func (f *flattener) add(b cover.ProfileBlock) {
	n := len(f.open)
	for n > 0 && end(f.open[n-1]).compare(start(b)) <= 0 {
		n--
	}
	f.close(f.open[n:])
	f.open = f.open[:n]
	if n > 0 {
		f.advance(&f.open[n-1], start(b))
	}
	f.at = start(b)
	f.open = append(f.open, b)
}

// close ends blocks, the innermost first.
func (f *flattener) close(open []cover.ProfileBlock) {
	for i := len(open) - 1; i >= 0; i-- {
		f.advance(&open[i], end(open[i]))
	}
}

// advance moves the cursor to p, through b.
func (f *flattener) advance(b *cover.ProfileBlock, p point) {
	if f.at.compare(p) >= 0 {
		return
	}
	part := *b
	part.StartLine, part.StartCol = f.at.line, f.at.col
	part.EndLine, part.EndCol = p.line, p.col
	f.flat = append(f.flat, part)
	b.NumStmt = 0 // counted
	f.at = p
}
