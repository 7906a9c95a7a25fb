// Package store keeps the results of runs in a directory, .fdebug in the module root by default:
//
//	.fdebug/.gitignore         "*": nothing here is ever committed. A directory that had other files has none
//	.fdebug/latest             link to the newest run
//	.fdebug/runs/<id>/         one run: reports, result.json, runs.jsonl
//	.fdebug/runs/<id>/lock     locked while a process uses it
//	.fdebug/runs/<id>/raw/     traces that are being written
//	.fdebug/runs/<id>/traces/  compressed traces, one a process
//	.fdebug/runs/<id>/src/     the source files that the reports show, as x.go.txt
//	.fdebug/hunt/              what hunts know, for the next to go on with
//	.fdebug/history.jsonl      outcomes, signatures and verdicts of all runs, removed ones
//	                           included; see package history
//
// [Reports] is another directory, in which the reports of many machines are collected.
//
// The id of a run is the time when it was started, so that names sort by age.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Name is the directory's usual name.
const Name = ".fdebug"

// A Store is such a directory.
type Store struct {
	Dir  string
	Keep int // how many runs are kept; 0 for [Keep]
}

// Keep is how many runs are kept by default: traces take space, and nobody looks at old ones.
const Keep = 10

// errNoRun is returned if a run does not exist.
var errNoRun = errors.New("no such run")

// Make makes the directory if it does not exist. Git must not ignore the user's files, so one with other files in it
// is not hidden from git.
func (s Store) Make() error {
	there, _ := os.ReadDir(s.Dir)
	if err := os.MkdirAll(filepath.Join(s.Dir, "runs"), 0o777); err != nil {
		return err
	}
	ignore := filepath.Join(s.Dir, ".gitignore")
	if _, err := os.Stat(ignore); !errors.Is(err, fs.ErrNotExist) || len(there) > 0 && filepath.Base(s.Dir) != Name {
		return nil
	}
	return os.WriteFile(ignore, []byte("*\n"), 0o666)
}

// Create makes the directory for a new run, and the store if needed.
func (s Store) Create(now time.Time) (string, error) {
	if err := s.Make(); err != nil {
		return "", err
	}
	id := now.Format("20060102-150405")
	for i := range 1000 {
		name := id
		if i > 0 {
			name = fmt.Sprintf("%s-%d", id, i+1)
		}
		dir := s.run(name)
		err := os.Mkdir(dir, 0o777)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s: no free name for a run", s.Dir)
}

// SetLatest makes dir the run that Find("") returns. If the system has no links, latest is a file
// that contains the name.
func (s Store) SetLatest(dir string) error {
	latest := filepath.Join(s.Dir, "latest")
	target := filepath.Join("runs", filepath.Base(dir))
	tmp := filepath.Join(s.Dir, "latest-"+filepath.Base(dir))
	if err := os.Symlink(target, tmp); err != nil {
		if err := os.WriteFile(tmp, []byte(target+"\n"), 0o666); err != nil {
			return err
		}
	}
	return os.Rename(tmp, latest)
}

// Find returns the directory of a run: the latest for "", else the one with the given id, or the
// directory itself if a path is given.
func (s Store) Find(run string) (string, error) {
	switch {
	case run == "":
		return s.latest()
	case strings.ContainsRune(run, filepath.Separator) || strings.Contains(run, "/"):
		return existing(run)
	}
	return existing(s.run(run))
}

func (s Store) latest() (string, error) {
	name := filepath.Join(s.Dir, "latest")
	if dir, err := filepath.EvalSymlinks(name); err == nil {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	if data, err := os.ReadFile(name); err == nil {
		return existing(filepath.Join(s.Dir, strings.TrimSpace(string(data))))
	}
	runs, err := s.Runs()
	if err != nil || len(runs) == 0 {
		return "", fmt.Errorf("%w: nothing in %s", errNoRun, s.Dir)
	}
	return s.run(runs[len(runs)-1]), nil
}

func existing(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return "", fmt.Errorf("%w: %s", errNoRun, dir)
	}
	return dir, nil
}

// run returns the directory of the run with an id.
func (s Store) run(id string) string { return filepath.Join(s.Dir, "runs", id) }

// Runs returns the ids of the runs, oldest first.
func (s Store) Runs() ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.Dir, "runs")) // sorted
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	return ids, nil
}

// Files returns the names of the files in a run's directory that match a pattern.
func (s Store) Files(id, pattern string) []string { return Glob(s.run(id), pattern) }

// Glob returns the names of the files in a directory that match a pattern. Unlike the argument of [filepath.Glob],
// the path of the directory is not a pattern: any character may stand in it.
func Glob(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern) // the pattern is ours
	for i, name := range names {
		names[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return names
}

// InUse reports whether a process uses a run.
func (s Store) InUse(id string) bool { return InUse(s.run(id)) }

// InUse reports whether a process uses the run in a directory.
func InUse(dir string) bool { return useOf(dir) == inUse }

// raw is the directory, of a run or of its second build's runs, for files that are useless after
// the runs.
const raw = "raw"

// Sweep removes what killed processes left in their runs: raw traces can be large. It keeps the
// results of completed runs.
func (s Store) Sweep() {
	ids, _ := s.Runs()
	for _, id := range ids {
		dir := s.run(id)
		if useOf(dir) != abandoned {
			continue
		}
		os.RemoveAll(filepath.Join(dir, raw))
		os.RemoveAll(filepath.Join(dir, "values", raw))
		os.Remove(filepath.Join(dir, lockName))
	}
}

// Prune removes all runs except the newest, and those that a process uses.
func (s Store) Prune() error {
	ids, err := s.Runs()
	if err != nil {
		return err
	}
	for _, id := range ids[:max(0, len(ids)-cmp.Or(s.Keep, Keep))] {
		dir := s.run(id)
		if useOf(dir) == inUse {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}
