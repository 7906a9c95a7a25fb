package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/perturb"
)

const (
	flipSeeds  = 6  // with which the draws of one block are made otherwise
	maxFlipped = 12 // blocks that are tried
	flipRuns   = 3  // in a row that must pass
)

// flip looks for a block that decides where no set of blocks does by itself: the outcome
// follows from its choices together with others, such as the keys of hashes, which are
// drawn before any block runs. All choices stay as in the finding's trial, which always
// fails, except those of one block, which follow another seed: if the test passes then,
// these decide, the others being as they are.
func (is *isolation) flip() error {
	for _, x := range is.flippable() {
		for i := range flipSeeds {
			seed := is.s.seed("flip", i)
			t := is.f.Trial
			t.Plan.Acts = append([]perturb.Act{perturb.Pin(x.kind, seed, x.block)}, t.Plan.Acts...)
			passes, acts, err := is.s.always(is.s.ctx, "flip", t, &is.f.Sig, false, flipRuns)
			if err != nil {
				return err
			}
			if passes && acts {
				is.f.blocks, is.f.cure = []int{int(x.block)}, &t
				return nil
			}
		}
	}
	return nil
}

// flippable returns the draws of the kinds that decide, those that hints are about first.
func (is *isolation) flippable() []drawSite {
	list := is.s.hintedDraws(is.all)
	for _, x := range is.all {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	var out []drawSite
	for _, x := range list[:min(len(list), maxFlipped)] {
		if is.f.Decides == nil || slices.Contains(is.f.Decides, x.kind.String()) {
			out = append(out, x)
		}
	}
	return out
}
