package proof

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// Version is the version of files that are written.
const Version = 2

// Suffix is that of the names of replay files.
const Suffix = ".replay.json"

// Errors of [Read].
var (
	ErrNotReplay = errors.New("not a replay file")
	ErrVersion   = errors.New("written by another fdebug")
	ErrDamaged   = errors.New("the replay file is damaged")
)

// WriteFile writes p to the named file.
func (p *Proof) WriteFile(name string) error {
	data, err := json.MarshalIndent(p, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o666)
}

// Read reads a replay file. Errors are [ErrNotReplay], [ErrVersion], [ErrDamaged] and those of the file system.
func Read(name string) (*Proof, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func parse(data []byte) (*Proof, error) {
	var head struct {
		Version int `json:"fdebug_replay"`
	}
	switch err := json.Unmarshal(data, &head); {
	case err != nil || head.Version == 0:
		if strings.Contains(string(data[:min(len(data), 200)]), `"fdebug_replay"`) {
			return nil, ErrDamaged
		}
		return nil, ErrNotReplay
	case head.Version != Version:
		return nil, fmt.Errorf("%w: version %d, this one reads %d", ErrVersion, head.Version, Version)
	}
	p := &Proof{}
	if err := json.Unmarshal(data, p); err != nil {
		is := ErrDamaged
		if kind := kindError(""); errors.As(err, &kind) && freedom.Gone(string(kind)) {
			is = ErrVersion
		}
		return nil, fmt.Errorf("%w: %w", is, err)
	}
	p.show()
	return p, p.check()
}

// show gives its line to each place that was written without the lines that say where it is.
func (p *Proof) show() {
	for _, at := range p.Places() {
		if at.Shown.File == "" && at.File != "" {
			at.Shown = trace.LineOf(at.File, at.Line)
		}
	}
}

// check returns an error for a proof that fdebug can't have written.
func (p *Proof) check() error {
	damaged := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
	}
	for _, acts := range []Acts{p.Plan, p.Opposite, p.Elsewhere} {
		for _, a := range acts {
			if !valid(a) {
				return damaged("a %s makes no sense", a.Kind)
			}
		}
	}
	switch orders := p.Plan.Does(Act.Orders); {
	case p.Package == "" || p.Test == "" || strings.ContainsAny(p.Test, "/\n"):
		return damaged("it names no test")
	case !p.does() && !p.Always:
		return damaged("it does nothing to a run")
	case p.Smallest < 0:
		return damaged("a hold of %v", p.Smallest)
	case orders && len(p.At) != 2:
		return damaged("an order of %d events", len(p.At))
	case p.Plan.Does(Act.Holds) && !orders && len(p.At) != 0 && len(p.At) != 2:
		return damaged("a window with %d ends", len(p.At))
	case slices.ContainsFunc(p.At, func(at Place) bool { return at.Nth < 0 || at.Hit < 0 }):
		return damaged("a place makes no sense")
	}
	return nil
}

// does reports whether anything is done to a run.
func (p *Proof) does() bool {
	return len(p.Plan)+len(p.Before)+len(p.Needs) > 0 || p.Shuffle != 0
}
