package divergence

import (
	"cmp"
	"slices"

	"golang.org/x/tools/cover"
)

// A CoverDiff compares coverage profiles of passing with those of failing
// runs. It is what is left of a comparison when there are no traces: lines
// without their order.
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

// Diff compares the coverage profiles of passing runs with those of failing
// runs. Each element of pass and fail is one run's profiles, as
// [cover.ParseProfiles] returns them.
func Diff(pass, fail [][]*cover.Profile) (*CoverDiff, error) {
	switch {
	case len(fail) == 0:
		return nil, ErrNoFailing
	case len(pass) == 0:
		return nil, ErrNoPassing
	}
	files := map[string]map[int]*LineDiff{}
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

// addProfiles calls hit once for each line that a run ran.
func addProfiles(files map[string]map[int]*LineDiff, run []*cover.Profile, hit func(*LineDiff)) {
	type line struct {
		file string
		line int
	}
	seen := map[line]bool{}
	for _, p := range run {
		lines := files[p.FileName]
		if lines == nil {
			lines = map[int]*LineDiff{}
			files[p.FileName] = lines
		}
		for _, b := range p.Blocks {
			if b.Count == 0 {
				continue
			}
			for n := b.StartLine; n <= b.EndLine; n++ {
				if seen[line{p.FileName, n}] {
					continue
				}
				seen[line{p.FileName, n}] = true
				if lines[n] == nil {
					lines[n] = &LineDiff{Line: n}
				}
				hit(lines[n])
			}
		}
	}
}

func newFileDiff(name string, lines map[int]*LineDiff, nFail int) FileDiff {
	f := FileDiff{Name: name}
	for _, l := range lines {
		l.Ochiai = ochiai(l.Fail, nFail, l.Pass)
		f.Lines = append(f.Lines, *l)
	}
	slices.SortFunc(f.Lines, func(a, b LineDiff) int { return cmp.Compare(a.Line, b.Line) })
	return f
}

// Suspects returns the lines with the highest Ochiai coefficient, at most n, as
// file diffs of one line each. Ties are put in order of file and line.
func (d *CoverDiff) Suspects(n int) []FileDiff {
	var list []FileDiff
	for _, f := range d.Files {
		for _, l := range f.Lines {
			if l.Fail > 0 {
				list = append(list, FileDiff{f.Name, []LineDiff{l}})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b FileDiff) int {
		return cmp.Compare(b.Lines[0].Ochiai, a.Lines[0].Ochiai)
	})
	return list[:min(n, len(list))]
}
