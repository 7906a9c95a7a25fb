package pollution

import (
	"context"

	"github.com/fdebug/fdebug/internal/ddmin"
	"github.com/fdebug/fdebug/internal/finding"
)

const (
	inARow = 3  // runs in a row that count as always, during the search
	runs   = 20 // runs of each kind to confirm the result
	// mostly is how many of these must fail if the cause is left in place.
	mostly = 18

	// Runs is roughly how many runs a search makes if one of a few hundred variables decides.
	Runs    = 3*runs + 2*inARow*logVars
	logVars = 9 // halvings until one is left
)

// A Search looks for the variables.
type Search struct {
	Vars []finding.PackageVar
	// Run runs the polluters and the victim in one process, with variables put back before the
	// victim. It reports whether the victim failed in the known way.
	Run func(ctx context.Context, back []finding.PackageVar) (failed bool, err error)
}

// Find returns the variables that decide, or nil if some runs fail and others pass whatever is put back. It
// makes some 60 runs, and 3 for each step of [ddmin.Least].
func (s *Search) Find(ctx context.Context) (*finding.Pollution, error) {
	passes := func(back []finding.PackageVar) (bool, error) {
		for range inARow {
			if failed, err := s.Run(ctx, back); err != nil || failed {
				return false, err
			}
		}
		return true, nil
	}
	if is, err := passes(s.Vars); err != nil || !is {
		return s.neither(ctx, err)
	}
	least, err := ddmin.Least(s.Vars, passes)
	if err != nil {
		return nil, err
	}
	f := &finding.Pollution{Vars: least}
	others := without(s.Vars, least)
	if f.Back, err = s.count(ctx, least); err != nil {
		return nil, err
	}
	if f.Left, err = s.count(ctx, nil); err != nil {
		return nil, err
	}
	if len(others) > 0 {
		if f.Without, err = s.count(ctx, others); err != nil {
			return nil, err
		}
	}
	if f.Back.Failed > 0 || f.Left.Failed < mostly || len(others) > 0 && f.Without.Failed < mostly {
		return nil, nil
	}
	return f, nil
}

// neither returns a result which says that variables alone do not explain the failure, if putting
// back all of them changes nothing.
func (s *Search) neither(ctx context.Context, err error) (*finding.Pollution, error) {
	if err != nil {
		return nil, err
	}
	f := &finding.Pollution{}
	if f.Back, err = s.count(ctx, s.Vars); err != nil || f.Back.Failed < mostly {
		return nil, err
	}
	if f.Left, err = s.count(ctx, nil); err != nil || f.Left.Failed < mostly {
		return nil, err
	}
	return f, nil
}

func (s *Search) count(ctx context.Context, back []finding.PackageVar) (c finding.Count, err error) {
	for range runs {
		failed, err := s.Run(ctx, back)
		if err != nil {
			return c, err
		}
		if c.Of++; failed {
			c.Failed++
		}
	}
	return c, nil
}

func without(all, some []finding.PackageVar) (rest []finding.PackageVar) {
	in := make(map[finding.PackageVar]bool)
	for _, v := range some {
		in[v] = true
	}
	for _, v := range all {
		if !in[v] {
			rest = append(rest, v)
		}
	}
	return rest
}
