package divergence

import (
	"cmp"
	"fmt"
	"slices"

	"golang.org/x/tools/cover"
)

// A CoverDiff compares coverage profiles of passing runs with those of failing runs. It is all
// that a comparison can give without traces: lines without their order.
type CoverDiff struct {
	Pass, Fail int // number of profile sets
	Files      []FileDiff
}

// A FileDiff is a CoverDiff's view of one file, named as in the profiles.
type FileDiff struct {
	Name  string
	Lines []LineDiff // lines that some run ran, in order
}

// A LineDiff is a line that some run ran.
type LineDiff struct {
	Line       int
	Pass, Fail int // number of runs that ran it
	Ochiai     float64
}

// A LineKind says in which runs a line was run.
type LineKind uint8

const (
	LineCommon   LineKind = iota // in passing and in failing runs
	LinePassOnly                 // in passing runs only
	LineFailOnly                 // in failing runs only
)

// Kind returns in which runs the line was run.
func (l LineDiff) Kind() LineKind {
	switch {
	case l.Fail == 0:
		return LinePassOnly
	case l.Pass == 0:
		return LineFailOnly
	}
	return LineCommon
}

// Diff compares the coverage profiles of passing runs with those of failing runs. Each element of
// pass and fail is one run's profiles, as [cover.ParseProfiles] returns them. The error is
// [ErrNoFailing], [ErrNoPassing], or [ErrCoverage] for blocks that are too long to be code.
func Diff(pass, fail [][]*cover.Profile) (*CoverDiff, error) {
	switch {
	case len(fail) == 0:
		return nil, ErrNoFailing
	case len(pass) == 0:
		return nil, ErrNoPassing
	}
	for _, run := range slices.Concat(pass, fail) {
		if err := CheckProfiles(run); err != nil {
			return nil, err
		}
	}
	files := map[string]map[int]LineDiff{}
	for _, run := range pass {
		addProfiles(files, run, func(l *LineDiff) { l.Pass++ })
	}
	for _, run := range fail {
		addProfiles(files, run, func(l *LineDiff) { l.Fail++ })
	}
	d := &CoverDiff{Pass: len(pass), Fail: len(fail)}
	for name, lines := range files {
		d.Files = append(d.Files, newFileDiff(name, lines, len(fail)))
	}
	slices.SortFunc(d.Files, func(a, b FileDiff) int { return cmp.Compare(a.Name, b.Name) })
	return d, nil
}

// maxProfileLines and maxBlockLines limit the lines of the profiles of one run, the latter for
// each block on average. A comparison takes memory for each line, and a damaged profile of one
// line can name a trillion lines.
const (
	maxProfileLines = 1 << 15
	maxBlockLines   = 200
)

// CheckProfiles returns [ErrCoverage] if the blocks of one run's profiles are too long to be
// code. [Diff] does so too, but can't say which run it was.
func CheckProfiles(run []*cover.Profile) error {
	room := maxProfileLines
	for _, p := range run {
		room += maxBlockLines * len(p.Blocks)
	}
	for _, p := range run {
		for _, b := range p.Blocks {
			n := max(0, b.EndLine-b.StartLine)
			if n >= room {
				return fmt.Errorf("%w: %s has a block of lines %d to %d", ErrCoverage, p.FileName,
					b.StartLine, b.EndLine)
			}
			room -= n + 1
		}
	}
	return nil
}

// addProfiles calls hit once for each line that a run ran.
func addProfiles(files map[string]map[int]LineDiff, run []*cover.Profile, hit func(*LineDiff)) {
	for _, p := range run {
		lines := files[p.FileName]
		if lines == nil {
			lines = map[int]LineDiff{}
			files[p.FileName] = lines
		}
		for _, r := range ranges(p) {
			for n := r.from; n <= r.to; n++ {
				l := lines[n]
				l.Line = n
				hit(&l)
				lines[n] = l
			}
		}
	}
}

// A lineRange is a range of lines, inclusive.
type lineRange struct{ from, to int }

// ranges returns the lines that were run, as ranges that do not overlap.
func ranges(p *cover.Profile) []lineRange {
	var ran []lineRange
	for _, b := range p.Blocks {
		if b.Count != 0 && b.EndLine >= b.StartLine {
			ran = append(ran, lineRange{b.StartLine, b.EndLine})
		}
	}
	slices.SortFunc(ran, func(a, b lineRange) int { return cmp.Compare(a.from, b.from) })
	merged := ran[:0]
	for _, r := range ran {
		if n := len(merged); n > 0 && r.from <= merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, r.to)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

func newFileDiff(name string, lines map[int]LineDiff, nFail int) FileDiff {
	f := FileDiff{Name: name, Lines: make([]LineDiff, 0, len(lines))}
	for _, l := range lines {
		l.Ochiai = ochiai(l.Fail, nFail, l.Pass)
		f.Lines = append(f.Lines, l)
	}
	slices.SortFunc(f.Lines, func(a, b LineDiff) int { return cmp.Compare(a.Line, b.Line) })
	return f
}

// Suspects returns the lines with the highest Ochiai coefficient, at most n, as file diffs of one
// line each. Ties are sorted by file and line.
func (d *CoverDiff) Suspects(n int) []FileDiff {
	var list []FileDiff
	for _, f := range d.Files {
		for i := range f.Lines {
			if f.Lines[i].Fail > 0 {
				list = append(list, FileDiff{f.Name, f.Lines[i : i+1 : i+1]})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b FileDiff) int {
		return cmp.Compare(b.Lines[0].Ochiai, a.Lines[0].Ochiai)
	})
	return slices.Clone(list[:min(n, len(list))])
}
