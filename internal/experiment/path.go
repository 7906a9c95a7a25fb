package experiment

import (
	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// paths notes by which calls the goroutines of a finding come to where they are held,
// and to where holding one makes the failure vanish. Of a window that is its first
// position: what was done before has nothing to do with the failure.
func (s *bench) paths(f *Finding) (err error) {
	if len(f.sites) != 1 {
		return nil
	}
	site := f.sites[0]
	if f.window != nil {
		site = f.window.First
	}
	if f.path, err = s.pathTo(site); err != nil || f.cureSite == nil {
		return err
	}
	f.curePath, err = s.pathTo(*f.cureSite)
	return err
}

// pathTo returns the call path of a goroutine at a site, as it was in a run of the
// profile; nil if it is not known.
func (s *bench) pathTo(site Site) (path []divergence.Call, err error) {
	g := s.p.goroutine(site)
	if g == nil {
		return nil, nil
	}
	t, err := s.open(g.trace)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	for _, exact := range []bool{true, false} { // else whoever of its class comes to the block, as that one did in another run
		for _, tg := range t.Goroutines {
			if tg.Class != g.Class || exact && tg.ID != g.ID {
				continue
			}
			pos, err := comesTo(tg, site)
			if err != nil || pos >= 0 {
				if err == nil {
					path, err = divergence.PathTo(s.Sites, tg, pos)
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
	first, exact := int64(-1), false
	err := events(g, func(i int64, e trace.Event) bool {
		b, ok := e.Block()
		if ok && b == site.Block {
			if first < 0 {
				first = i
			}
			exact = exact || i == site.Event
		}
		return i < site.Event || first < 0 && i < maxScan
	})
	if exact {
		return site.Event, err
	}
	return first, err
}
