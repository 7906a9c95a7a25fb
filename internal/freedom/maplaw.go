package freedom

import (
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/secret"
	"github.com/fdebug/fdebug/trace"
)

// MapKeys gives ranges at a block the order that its seed says. Text has the hashes of keys, of all such orders those
// come in which the keys come in this order if Unit is 1, and in another one if it is -1.
const MapKeys Aspect = trace.MapKeys

// Which keys of a map decide: several by their order, or one by its place.
const (
	InOrder    Among = -1 - iota
	OutOfOrder       // in any other order
	FirstIs
	FirstIsNot
	LastIs
	LastIsNot
)

// A Key is one of a map: a hash and what it is in the source.
type Key struct {
	Hash uint64
	Text string
}

// A Walk is a run in which ranges at one block came to keys in some orders.
type Walk struct {
	Ranges [][]Key
	Failed bool
}

// Keys returns the ranges whose keys a trace has.
func Keys(t *trace.Trace) (ranges [][]Key) {
	at, hider := make(map[int]int), secret.NewHider(os.Environ())
	for _, g := range t.Goroutines {
		for _, v := range g.Values {
			if v.Site < trace.KeySite {
				continue
			}
			if _, ok := at[v.Site]; !ok {
				at[v.Site] = len(ranges)
				ranges = append(ranges, nil)
			}
			text := strconv.Quote(hider.Hide(v.Text))
			if b := append([]byte(v.Text), make([]byte, 8)...); v.Hash%4 == 2 {
				text = fmt.Sprint(int64(binary.LittleEndian.Uint64(b)))
			} else if v.Hash%2 == 0 {
				text = fmt.Sprint(binary.LittleEndian.Uint64(b))
			}
			ranges[at[v.Site]] = append(ranges[at[v.Site]], Key{v.Hash, text})
		}
	}
	return ranges
}

const (
	maxWalks   = 48 // runs whose orders are looked at
	leastWalks = 4  // that fail, and pass, for a law
	manyWalks  = 8  // that suffice
	maxRanged  = 3  // blocks at which one is looked for
)

// narrowMap finds the keys with whose order, or place, the test fails and with no other.
func narrowMap(a Act[Site], passes bool, b Bench, _ Fails) *Law {
	if passes {
		return nil
	}
	blocks := []int{a.At.Block}
	if a.What == AllChoices {
		blocks = nil
		for _, d := range slices.Backward(Choosers(b.Drawn())) {
			if d.Kind == trace.ActMap && len(blocks) < maxRanged {
				blocks = append(blocks, int(d.Block))
			}
		}
	}
	for _, block := range blocks {
		k := keyed{act: Act[Site]{Kind: trace.ActMap, What: MapKeys, At: Site{Block: block}}, b: b}
		if k.walk(); len(k.fail) >= leastWalks && len(k.pass) >= leastWalks {
			if l := k.law(); l != nil {
				return l
			}
		}
	}
	return nil
}

// A keyed is a block at which ranges come to keys in one order or another.
type keyed struct {
	act        Act[Site]
	b          Bench
	fail, pass []Walk
	text       map[uint64]string // of keys
}

// walk makes runs with orders of all kinds.
func (k *keyed) walk() {
	k.text = make(map[uint64]string)
	for i := 0; i < maxWalks && min(len(k.fail), len(k.pass)) < manyWalks; i++ {
		w, ok := k.b.Walk(k.act.Seeded(k.b.Seed("keys", i)))
		if !ok || len(w.Ranges) == 0 {
			return
		}
		for _, r := range w.Ranges {
			for _, key := range r {
				k.text[key.Hash] = key.Text
			}
		}
		if w.Failed {
			k.fail = append(k.fail, w)
		} else {
			k.pass = append(k.pass, w)
		}
	}
}

// A chain has keys in an order: several, or one and all others.
type chain []uint64

// comes reports whether keys come so in all ranges of a run that have them, or in none of them.
func (c chain) comes(w Walk) (always, never bool) {
	yes, no := false, false
	for _, r := range w.Ranges {
		var keys []uint64
		for _, key := range r {
			keys = append(keys, key.Hash)
		}
		if !slices.ContainsFunc(c, func(h uint64) bool { return h != trace.OtherKeys && !slices.Contains(keys, h) }) {
			comes := trace.Comes(keys, c)
			yes, no = yes || comes, no || !comes
		}
	}
	return yes && !no, no && !yes
}

// among returns those of some chains that come in all of some runs.
func among(list []chain, runs []Walk) []chain {
	return slices.DeleteFunc(list, func(c chain) bool {
		return slices.ContainsFunc(runs, func(w Walk) bool { always, _ := c.comes(w); return !always })
	})
}

// explain reports whether there is a chain, for each of some runs, that does not come in it.
func explain(list []chain, runs []Walk) bool {
	return !slices.ContainsFunc(runs, func(w Walk) bool {
		return !slices.ContainsFunc(list, func(c chain) bool { _, never := c.comes(w); return never })
	})
}

// least returns the fewest keys that come so in all of some runs and in none of others, nil if there are none.
func (k *keyed) least(all, none []Walk) chain {
	var pairs, lone []chain
	keys := slices.Sorted(maps.Keys(k.text))
	for _, x := range keys {
		lone = append(lone, chain{x, trace.OtherKeys}, chain{trace.OtherKeys, x})
		for _, y := range slices.DeleteFunc(slices.Clone(keys), func(y uint64) bool { return x == y }) {
			pairs = append(pairs, chain{x, y})
		}
	}
	pairs = among(pairs, all)
	for _, c := range slices.Concat(pairs, among(lone, all)) {
		if explain([]chain{c}, none) {
			return c
		}
	}
	for i := len(pairs) - 1; i >= 0; i-- {
		if less := slices.Delete(slices.Clone(pairs), i, i+1); explain(less, none) {
			pairs = less
		}
	}
	for _, r := range all[0].Ranges {
		var c chain
		for _, key := range r {
			if slices.ContainsFunc(pairs, func(p chain) bool { return slices.Contains(p, key.Hash) }) {
				c = append(c, key.Hash)
			}
		}
		if len(c) > 1 && len(among([]chain{c}, all)) > 0 && explain([]chain{c}, none) {
			return c
		}
	}
	return nil
}

// law returns the law of the keys that tell runs that fail from those that pass.
func (k *keyed) law() *Law {
	of, unit, c := InOrder, int64(1), k.least(k.fail, k.pass)
	if c == nil {
		of, unit, c = OutOfOrder, -1, k.least(k.pass, k.fail)
	}
	if c == nil {
		return nil
	}
	l := &Law{Range: Range{Of: of, To: 1}}
	switch {
	case c[0] == trace.OtherKeys:
		l.Of += LastIs - InOrder
	case c[1] == trace.OtherKeys:
		l.Of += FirstIs - InOrder
	}
	var hashes, texts []string
	for _, h := range c {
		hashes = append(hashes, strconv.FormatUint(h, 16))
		if h != trace.OtherKeys {
			texts = append(texts, k.text[h])
		}
	}
	l.Key, l.Before = texts[0], strings.Join(texts[1:], ", ")
	k.act.Text = strings.Join(hashes, " ")
	for i := range inLaw {
		k.act.Unit = unit
		l.Fails = append(l.Fails, []Act[Site]{k.act.Seeded(k.b.Seed("law", i))})
		k.act.Unit = -unit
		l.Passes = append(l.Passes, []Act[Site]{k.act.Seeded(k.b.Seed("law", i))})
	}
	return l
}

// keySettings are those of the plan's file: one a key.
func (a Act[P]) keySettings(block uint32) (list []setting) {
	x := setting{Kind: uint32(a.Kind), What: uint32(a.What), Block: block, Unit: a.Unit}
	if a.Text == "" {
		return []setting{x}
	}
	for _, h := range strings.Fields(a.Text) {
		v, _ := strconv.ParseUint(h, 16, 64)
		x.Value = int64(v)
		list = append(list, x)
	}
	return list
}
