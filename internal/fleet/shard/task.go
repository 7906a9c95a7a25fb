package shard

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fdebug/fdebug/internal/experiment"
)

// A Task is what is left to be confirmed when several processes have divided the runs of a
// search, or of a command that only runs tests. It is kept as JSON:
//
//	{
//	  "fdebug_task": 3,        version of the format
//	  "bundle"                 id of the bundle that was run, "" for none
//	  "build"                  names and values of what the first stage was built of
//	  "command"                that would make the whole of the first stage
//	  "items": [{              in an order that says who confirms which
//	    "package", "test"      a top-level test
//	    "candidates"           trials that failed once, all with one signature; or, of
//	                           a test that fails by itself, none, and then
//	    "natural"              signatures with which it failed
//	    "hints", "recorded"    what comparing its runs suggests, and the runs
//	  }]
//	}
//
// All of it is taken for anybody's: see [ReadTask].
type Task struct {
	Version int               `json:"fdebug_task"`
	Bundle  string            `json:"bundle,omitempty"`
	Build   map[string]string `json:"build"`
	Command []string          `json:"command,omitempty"`
	Items   []experiment.Item `json:"items"`
}

const (
	taskVersion = 3
	maxTask     = 256 << 20 // bytes
	maxListed   = 1 << 20   // items of it
)

// Errors of [ReadTask].
var (
	ErrNotTask     = errors.New("not a file of fdebug merge -next")
	errTaskVersion = errors.New("written by another version of fdebug")
	ErrTaskDamaged = errors.New("the file is damaged")
)

func damagedTask(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrTaskDamaged, fmt.Sprintf(format, args...))
}

// WriteFile writes t to the named file, aside first.
func (t *Task) WriteFile(name string) error {
	t.Version = taskVersion
	data, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return err
	}
	aside := name + ".tmp"
	if err := os.WriteFile(aside, append(data, '\n'), 0o666); err != nil {
		return err
	}
	return os.Rename(aside, name)
}

// ReadTask reads a task. What it holds is bounded, and each of its trials is one that a
// search makes. Errors are [ErrNotTask], errTaskVersion, [ErrTaskDamaged] and those of
// the file system.
func ReadTask(name string) (*Task, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxTask+1))
	if err != nil {
		return nil, err
	}
	t, err := parseTask(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func parseTask(data []byte) (*Task, error) {
	if len(data) > maxTask {
		return nil, damagedTask("more than %d MB", maxTask>>20)
	}
	var head struct {
		Version int `json:"fdebug_task"`
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Version < 1 {
		if strings.Contains(string(data[:min(len(data), 200)]), `"fdebug_task"`) {
			return nil, damagedTask("%v", err)
		}
		return nil, ErrNotTask
	}
	if head.Version != taskVersion {
		return nil, fmt.Errorf("%w: version %d, this one reads %d", errTaskVersion, head.Version, taskVersion)
	}
	t := &Task{}
	if err := json.Unmarshal(data, t); err != nil {
		return nil, damagedTask("%v", err)
	}
	return t, t.check()
}

// check returns an error for a task that fdebug can't have written.
func (t *Task) check() error {
	if len(t.Items) > maxListed {
		return damagedTask("%d items", len(t.Items))
	}
	for i := range t.Items {
		if err := t.Items[i].Check(); err != nil {
			return damagedTask("item %d: %v", i+1, err)
		}
	}
	return nil
}
