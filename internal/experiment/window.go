package experiment

import "github.com/fdebug/fdebug/internal/perturb"

// window finds the first and the last position of the goroutine at which a stall
// fails, around the one at which it did. It is taken to be in one piece.
func (s *search) window(f *Finding) error {
	site := f.sites[0]
	blocks, err := s.stream(s.p, site)
	if err != nil || site.Event >= int64(len(blocks)) || blocks[site.Event] != site.Block {
		return err
	}
	w := &windowSearch{s: s, f: f, blocks: blocks}
	at := 0
	for i, b := range blocks {
		if int64(i) == site.Event {
			at = len(w.at)
		}
		if b != 0 {
			w.at = append(w.at, int64(i))
		}
	}
	first, err := w.edge(at, -1)
	if err != nil {
		return err
	}
	last, err := w.edge(at, +1)
	if err != nil {
		return err
	}
	f.window = &Window{First: w.site(first), Last: w.site(last), FromBeginning: first == 0, toEnd: last == len(w.at)-1}
	if first > 0 {
		f.window.Before = w.site(first - 1).Block
	}
	return nil
}

// A windowSearch looks for the ends of one window.
type windowSearch struct {
	s      *search
	f      *Finding
	blocks []int   // of the goroutine, 0 for what is no block
	at     []int64 // the events that are blocks
}

// edge returns the last position in direction d from in, which fails, that fails too:
// steps that double until one passes, then halving.
func (w *windowSearch) edge(in, d int) (int, error) {
	end := -1
	if d > 0 {
		end = len(w.at)
	}
	out := end
	for step := 1; ; step *= 2 {
		i := in + d*step
		if (end-i)*d <= 0 {
			break
		}
		fails, err := w.fails(i)
		if err != nil {
			return in, err
		}
		if !fails {
			out = i
			break
		}
		in = i
	}
	for (out-in)*d > 1 {
		mid := (in + out) / 2
		fails, err := w.fails(mid)
		if err != nil {
			return in, err
		}
		if fails {
			in = mid
		} else {
			out = mid
		}
	}
	return in, nil
}

// site returns the i-th position as a site.
func (w *windowSearch) site(i int) Site {
	site := w.f.sites[0]
	site.Event = w.at[i]
	site.Block, site.Hit = w.blocks[site.Event], 0
	for _, b := range w.blocks[:site.Event+1] {
		if b == site.Block {
			site.Hit++
		}
	}
	return site
}

// fails reports whether stalls at the i-th position fail.
func (w *windowSearch) fails(i int) (bool, error) {
	t := w.f.dosed().each(func(a perturb.Act) perturb.Act {
		if !a.Holds() {
			return a
		}
		return a.Moved(w.site(i).position())
	})
	is, _, err := w.s.always(w.s.ctx, "window", t, &w.f.Sig, true, max(2, w.s.inARow(&w.f.Sig)-1))
	return is, err
}
