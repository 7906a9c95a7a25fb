package shard

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/experiment"
)

// A Logs adds logs of hunts to one; *LogMerger is one. It calls trace with the name of
// a trace to get the trace's path.
type Logs interface {
	Add(r io.Reader, trace func(name string) (string, error)) error
	Close() error
}

// MergeHunt merges what the shards of a set know about hunts into a directory, one package after
// the other. open begins the log of a package. header is the first line of the shards' logs.
func (s *Set) MergeHunt(dir string, open func(file string, header []byte) (Logs, error)) error {
	pkgs, err := s.hunted()
	if err != nil {
		return err
	}
	for _, pkg := range pkgs {
		if err := s.mergeLogs(filepath.Join(dir, pkg), pkg, open); err != nil {
			return err
		}
	}
	return nil
}

// hunted returns the names of the directories of packages that any shard has.
func (s *Set) hunted() (list []string, err error) {
	for _, e := range s.Entries {
		b, err := openBlob(e.File)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		for name := range b.files {
			if rest, ok := strings.CutPrefix(name, huntDir); ok && path.Base(rest) == experiment.LogFile &&
				strings.Count(rest, "/") == 1 {
				list = append(list, path.Dir(rest))
			}
		}
		b.Close()
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// mergeLogs makes the directory of one package.
func (s *Set) mergeLogs(dir, pkg string, open func(string, []byte) (Logs, error)) (err error) {
	if err := os.RemoveAll(dir); err != nil { // what is known there is about other runs
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "traces"), 0o777); err != nil {
		return err
	}
	var to Logs
	for _, e := range s.Entries {
		if err = s.addLog(e, dir, pkg, &to, open); err != nil {
			err = fmt.Errorf("%s: %w", e.File, err)
			break
		}
	}
	if to != nil {
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		os.RemoveAll(dir) // half a log would say that everything is known
	}
	return err
}

// addLog adds what one shard knows about a package.
func (s *Set) addLog(e *Entry, dir, pkg string, to *Logs, open func(string, []byte) (Logs, error)) error {
	b, err := openBlob(e.File)
	if err != nil {
		return err
	}
	defer b.Close()
	name := huntDir + pkg + "/" + experiment.LogFile
	if b.files[name] == nil {
		return nil // it did not get to that package
	}
	if *to == nil {
		header, err := b.firstLine(name)
		if err != nil {
			return err
		}
		if *to, err = open(filepath.Join(dir, experiment.LogFile), header); err != nil {
			return damaged("%s: %v", name, err)
		}
	}
	r, err := b.open(name, maxFile)
	if err != nil {
		return err
	}
	defer r.Close()
	err = (*to).Add(r, func(trace string) (string, error) {
		base := trace[strings.LastIndexAny(trace, `/\\`)+1:]
		at := filepath.Join(dir, "traces", fmt.Sprintf("%d-%s", e.Part.I, base))
		return at, b.extract(huntDir+pkg+"/traces/"+base, at)
	})
	if err != nil && !errors.Is(err, errDamaged) {
		err = damaged("%s: %v", name, err)
	}
	return err
}

// firstLine returns the first line of a file, which is no longer than a header may be.
func (b *blob) firstLine(name string) ([]byte, error) {
	data, err := b.head(name, maxFile, maxFact)
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return []byte(line), nil
}
