package shard

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// A Problem is a file that does not belong to the whole, and why.
type Problem struct {
	File string
	What string
	// harmless is set if the whole does not need it, because there is a later attempt.
	harmless bool
}

// A Set is what there is of a whole.
type Set struct {
	Entries  []*Entry // by shard, one each
	Of       int
	Missing  []int // shards without a blob
	Problems []Problem
}

// Files returns the files that may be blobs: the named files, and files below the named
// directories that are named like blobs.
func Files(args []string) ([]string, error) {
	var list []string
	for _, arg := range args {
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() || path != arg && (!strings.HasSuffix(path, suffix) || !d.Type().IsRegular()):
				return nil
			}
			list = append(list, path)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// Choose reads the headers of files and finds the whole that most of them belong to.
func Choose(files []string) *Set {
	s := &Set{}
	byID := make(map[string][]*Entry)
	var ids []string // in the order in which they were seen
	for _, file := range files {
		b, err := openBlob(file)
		if err != nil {
			s.problem(file, err)
			continue
		}
		h := b.Header
		b.Close()
		id := h.id() + " " + h.Bundle
		if byID[id] == nil {
			ids = append(ids, id)
		}
		byID[id] = append(byID[id], &Entry{file, &h})
	}
	if len(ids) == 0 {
		return s
	}
	most := slices.MaxFunc(ids, func(a, b string) int { return len(byID[a]) - len(byID[b]) })
	s.whole(byID[most])
	for _, id := range ids {
		if id == most {
			continue
		}
		for _, e := range byID[id] {
			s.Problems = append(s.Problems, Problem{File: e.File,
				What: "of another run: " + e.differs(s.Entries[0].Header)})
		}
	}
	slices.SortStableFunc(s.Problems, func(a, b Problem) int { return cmp.Compare(a.File, b.File) })
	return s
}

func (s *Set) problem(file string, err error) {
	what := err.Error()
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		what = p.Err.Error()
	}
	s.Problems = append(s.Problems, Problem{File: file, What: what})
}

// whole takes the last attempt at each shard.
func (s *Set) whole(list []*Entry) {
	s.Of = list[0].Part.Of
	slices.SortStableFunc(list, func(a, b *Entry) int {
		return cmp.Or(a.Part.I-b.Part.I, b.Attempt-a.Attempt, b.Started.Compare(a.Started))
	})
	for _, e := range list {
		last := len(s.Entries) - 1
		if last < 0 || s.Entries[last].Part != e.Part {
			s.Entries = append(s.Entries, e)
			continue
		}
		what := fmt.Sprintf("%s again, and not used: attempt %d is later", e.Describe(), s.Entries[last].Attempt)
		switch taken := s.Entries[last]; {
		case e.Key == taken.Key:
			what = fmt.Sprintf("the same as %s", filepath.Base(taken.File))
		case e.Attempt == taken.Attempt:
			what = fmt.Sprintf("%s again, and not used: %s began later", e.Describe(), filepath.Base(taken.File))
		}
		s.Problems = append(s.Problems, Problem{File: e.File, What: what, harmless: true})
	}
	have := make(map[int]bool)
	for _, e := range s.Entries {
		have[e.Part.I] = true
	}
	for i := 1; i <= s.Of; i++ {
		if !have[i] {
			s.Missing = append(s.Missing, i)
		}
	}
}

// Interrupted returns the shards that were ended before they were done.
func (s *Set) Interrupted() []*Entry {
	return slices.DeleteFunc(slices.Clone(s.Entries), func(e *Entry) bool { return !e.Header.Interrupted })
}

// Whole reports whether all shards are there and done, without harmful problems.
func (s *Set) Whole() bool {
	harmful := func(p Problem) bool { return !p.harmless }
	return len(s.Entries) > 0 && len(s.Missing) == 0 && len(s.Interrupted()) == 0 &&
		!slices.ContainsFunc(s.Problems, harmful)
}
