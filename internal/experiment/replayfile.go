package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

const replayVersion = 1

// Errors of [ReadReplay].
var (
	ErrNotReplay     = errors.New("not a replay file")
	ErrReplayVersion = errors.New("written by a newer fdebug")
	ErrReplayDamaged = errors.New("the replay file is damaged")
)

// WriteFile writes r to the named file.
func (r *Replay) WriteFile(name string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o666)
}

// ReadReplay reads a replay file. Errors are [ErrNotReplay], [ErrReplayVersion],
// [ErrReplayDamaged] and those of the file system.
func ReadReplay(name string) (*Replay, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := &Replay{}
	if err := r.parse(data); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func (r *Replay) parse(data []byte) error {
	var head struct {
		Version int `json:"fdebug_replay"`
	}
	if json.Unmarshal(data, &head) != nil || head.Version == 0 {
		if strings.Contains(string(data[:min(len(data), 200)]), `"fdebug_replay"`) {
			return ErrReplayDamaged
		}
		return ErrNotReplay
	}
	if head.Version > replayVersion {
		return fmt.Errorf("%w: version %d, this one reads %d", ErrReplayVersion, head.Version, replayVersion)
	}
	if err := json.Unmarshal(data, r); err != nil {
		return fmt.Errorf("%w: %v", ErrReplayDamaged, err)
	}
	r.Always = r.Always || !r.perturbs() && len(r.Cure) > 0 // files did not say it before
	return r.check()
}

// check returns what can't be in a file that fdebug has written.
func (r *Replay) check() error {
	damaged := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrReplayDamaged}, args...)...)
	}
	switch {
	case r.Package == "" || r.Test == "" || strings.ContainsAny(r.Test, "/\n"):
		return damaged("it names no test")
	case !r.perturbs() && !r.Always:
		return damaged("it perturbs nothing")
	case r.Smallest < 0:
		return damaged("a stall of %v", r.Smallest)
	case slices.ContainsFunc(r.Stalls, func(s ReplayStall) bool { return !s.valid() }):
		return damaged("a stall makes no sense")
	case slices.ContainsFunc(slices.Concat(r.Orders, r.Other), func(o ReplayOrder) bool { return !o.valid() }):
		return damaged("an order makes no sense")
	case len(r.Orders) > 0 && (r.First == nil || r.Then == nil):
		return damaged("an order of no events")
	case len(r.Window) != 0 && len(r.Window) != 2:
		return damaged("a window with %d ends", len(r.Window))
	case slices.ContainsFunc(r.Collect, func(p Place) bool { return !p.collects() }):
		return damaged("a collection makes no sense")
	case slices.ContainsFunc(r.Settings, func(x ReplaySetting) bool { return !x.valid() }):
		return damaged("a setting makes no sense")
	}
	for _, p := range r.Pins {
		if kindOf(p.Kind) == 0 {
			return damaged("no draws are of kind %q", p.Kind)
		}
		if slices.ContainsFunc(p.At, func(at Place) bool { return !at.draws() }) {
			return damaged("a place of a pin makes no sense")
		}
	}
	return nil
}

// perturbs reports whether anything is done to a run.
func (r *Replay) perturbs() bool {
	return len(r.Stalls)+len(r.Orders)+len(r.Pins)+len(r.Settings)+len(r.Collect) > 0 || r.Yield != nil || r.Sched != nil ||
		r.Suite || len(r.Before)+len(r.Needs) > 0 || r.Shuffle != 0
}

func (s ReplayStall) valid() bool {
	return s.At.held() && len(s.At.Goroutine.Chain) > 0 && s.Dose > 0
}

func (o ReplayOrder) valid() bool {
	return o.Hold.held() && !o.Hold.End && o.Until.held() && o.Limit > 0
}

func (x ReplaySetting) valid() bool {
	return settingKind(x.Kind) != 0 && (x.At == nil || x.At.draws())
}

// draws reports whether a place is one after which something is drawn or asked for.
func (p Place) draws() bool { return p.Block > 0 && p.Nth >= 0 }

// collects reports whether a place is one before which garbage can be collected.
func (p Place) collects() bool {
	return p.Goroutine != nil && p.Goroutine.ID == 0 != (p.Goroutine.Class == 0) && p.Block > 0 && p.Event >= 0
}
