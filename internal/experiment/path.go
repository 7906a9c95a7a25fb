package experiment

import (
	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// paths notes by which calls goroutines come to the steps of a law, and to blocks that ask or draw.
func (b *bench) paths(f *Finding) (err error) {
	f.called = make(map[Site][]divergence.Call)
	for _, block := range f.blocks {
		if f.called[Site{Block: block}], err = b.wayTo(block); err != nil {
			return err
		}
	}
	if f.ordered == nil {
		return nil
	}
	for _, at := range []*Site{&f.ordered.First, &f.ordered.Then, f.after} {
		if at == nil {
			continue
		}
		if f.called[*at], err = b.pathTo(*at); err != nil {
			return err
		}
	}
	return nil
}

// wayTo returns the call path of a goroutine that draws, or asks, at a block.
func (b *bench) wayTo(block int) ([]divergence.Call, error) {
	for _, d := range b.p.Draws {
		for _, g := range b.p.Goroutines {
			if d.Block == uint32(block) && g.Class == d.Class {
				return b.pathTo(Site{G: freedom.Goroutine{ID: g.ID}, Class: g.Class, Block: block, Event: -1})
			}
		}
	}
	return nil, nil
}

// pathTo returns the call path of a goroutine at a site, as it was in a run of the profile; nil if it is not known.
func (b *bench) pathTo(site Site) (path []divergence.Call, err error) {
	g := b.p.goroutine(site)
	if g == nil {
		return nil, nil
	}
	t, err := b.courses.in(g.trace)
	if err != nil {
		return nil, err
	}
	for _, exact := range []bool{true, false} {
		// else another one of its class that comes to the block, as that one did in another run
		for _, tg := range t.Goroutines {
			if tg.Class != g.Class || exact && tg.ID != g.ID {
				continue
			}
			pos, err := comesTo(tg, site)
			if err != nil || pos >= 0 {
				if err == nil {
					path, err = divergence.PathTo(b.Sites, tg, pos)
				}
				return path, err
			}
		}
	}
	return nil, nil
}

// comesTo returns the number of the event at which a goroutine comes to the block of a
// site: that of the site, else that of its first visit; -1 if it does not.
func comesTo(g *trace.Goroutine, site Site) (int64, error) {
	pos, first := int64(-1), int64(-1)
	err := events(g, func(i int64, e trace.Event) bool {
		if uint32(e) == uint32(site.Block) {
			if first < 0 {
				first = i
			}
			if i == site.Event {
				pos = i
			}
		}
		return pos < 0 && i < maxScan
	})
	if pos < 0 {
		pos = first
	}
	return pos, err
}
