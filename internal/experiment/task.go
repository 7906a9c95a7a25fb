package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
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
	Items   []Item            `json:"items"`
}

// An Item is what one process confirms alone: the runs that a verdict rests on are made
// in turn, on one machine.
type Item struct {
	Package    string             `json:"package"`
	Test       string             `json:"test"`
	Candidates []Candidate        `json:"candidates,omitempty"`
	Natural    []runner.Signature `json:"natural,omitempty"`
	Hints      []Hint             `json:"hints,omitempty"`
	Recorded   []Recorded         `json:"recorded,omitempty"`
}

const (
	taskVersion = 3
	maxTask     = 256 << 20        // bytes
	maxText     = 1 << 20          // bytes of a text in it
	maxListed   = 1 << 20          // entries of a list in it
	maxPhase    = 10 * time.Second // that a hint has a test wait for
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

// check returns what can't be in a file that fdebug has written.
func (t *Task) check() error {
	if len(t.Items) > maxListed {
		return damagedTask("%d items", len(t.Items))
	}
	for i := range t.Items {
		if err := t.Items[i].check(); err != nil {
			return damagedTask("item %d: %v", i+1, err)
		}
	}
	return nil
}

func (x *Item) check() error {
	switch {
	case x.Package == "" || len(x.Package) > maxText || !topLevel(x.Test):
		return errors.New("it names no test")
	case max(len(x.Candidates), len(x.Natural), len(x.Hints), len(x.Recorded)) > maxListed:
		return errors.New("a list is too long")
	}
	for i := range x.Candidates {
		c := &x.Candidates[i]
		if err := c.check(); err != nil {
			return fmt.Errorf("candidate %d: %w", i+1, err)
		}
		if !same(c.Outcome.Signature, x.Candidates[0].Outcome.Signature) {
			return fmt.Errorf("candidate %d failed in another way", i+1)
		}
	}
	for _, h := range x.Hints {
		if slices.ContainsFunc(h.Tests, func(name string) bool { return !topLevel(name) }) {
			return errors.New("a hint names no test")
		}
		if slices.ContainsFunc(slices.Concat(h.Fails, h.Passes), func(acts []freedom.Act) bool {
			return slices.ContainsFunc(acts, ofNoFact)
		}) {
			return errors.New("a hint sets what no fact does")
		}
	}
	return nil
}

// ofNoFact reports whether an act is none that follows from a fact: a short wait for a phase, a clock that is set, or
// what the system answers.
func ofNoFact(a freedom.Act) bool {
	switch a.What {
	case freedom.ClockInstant, freedom.GCOff, freedom.GCOften, freedom.PortTaken, freedom.PortFree:
		return false
	case freedom.ReadMost:
		return a.Value < 1
	}
	return a.What != freedom.ClockPhase || a.Value < 0 || a.Value >= a.Unit || a.Unit > int64(maxPhase)
}

// topLevel reports whether a text can be the name of a top-level test.
func topLevel(name string) bool {
	return name != "" && len(name) <= 1000 && !strings.ContainsAny(name, "/\n\x00 ")
}

// check returns why a candidate is none that a search shares.
func (c *Candidate) check() error {
	p, o := &c.Trial.Plan, &c.Outcome
	stalls := p.Of(freedom.Act.Holds)
	switch {
	case !o.Ran || !o.Failed || o.Trace != "" || o.Run != nil || len(o.Message) > maxText || len(o.Acts) > maxReduced:
		return errors.New("its outcome makes no sense")
	case c.Trial.Suite || c.Trial.Shuffle != 0 || len(c.Trial.Before) > 0 || p.Process+p.Test != "":
		return errors.New("no shared trial is like this")
	case len(stalls) > 1 || (len(stalls) == 1) != (c.Site != nil) || len(p.Acts) == 0:
		return errors.New("it perturbs nothing, or too much")
	}
	for _, x := range stalls {
		if x.Dose <= 0 || x.Dose > maxDose || c.Site.position() != x.At || c.Site.Block <= 0 ||
			c.Site.Event < 0 || c.Site.Hit < 0 ||
			(c.Site.G.ID == 0) == (c.Site.G.Class == 0) {
			return errors.New("a stall makes no sense")
		}
	}
	return c.checkRandom()
}

// checkRandom is check for what follows seeds.
func (c *Candidate) checkRandom() error {
	for _, a := range c.Trial.Plan.Acts {
		switch {
		case a.Chooses() && !a.Everywhere():
			return errors.New("a pin makes no sense")
		case !a.Holds() && !a.Chooses():
			return errors.New("no shared trial is like this")
		}
	}
	return nil
}
