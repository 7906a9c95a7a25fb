package freedom

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
)

// A planFile begins the file of a plan, which FDEBUG_PERTURB names. The runtime of the process reads it before anything
// is allocated. All is little-endian. Positions follow, sorted by their first two numbers, then pins, sorted so, then
// settings.
type planFile struct {
	Magic     [8]byte // planMagic
	Size      uint32  // of the file
	Positions uint32  // how many
	Pins      uint32
	_         [40]byte
	Settings  uint32
	Process   [192]byte // base name of the executable, ended by a zero
}

// A position is where something is done.
type position struct {
	Who   uint64 // what the goroutine is, times two, plus 1 for a class: the highest bit of either is lost
	Event uint64 // its number, planAtEnd for the goroutine's end
	Block uint32 // End for the goroutine's end
	Hit   uint32
	Kind  uint32 // of act (trace.ActKind), plus planUntil for what an order waits for
	First uint32 // 1: only the first goroutine of the class
	Index uint32 // number in the plan's list of the kind
	Until uint32 // of an order: the first that waits for the same position, which is there once
	Dose  uint64 // or limit, in nanoseconds
	_     [16]byte
}

// A pin has choices follow a seed.
type pin struct {
	Kind, Block uint32 // block 0 for all others
	Seed        uint64
}

// A setting sets something.
type setting struct {
	Kind, What  uint32 // What is an [Aspect], 0 for nothing
	Block       uint32 // 0 for all
	_           uint32
	Value, Unit int64
}

const (
	planMagic = "fdbplan1"
	planUntil = 256
	planAtEnd = 1 << 62

	maxPlan   = 64 << 20
	MaxOrders = 1024 // of a plan
)

// WriteFile writes the plan to the file for FDEBUG_PERTURB, and makes the directories that it
// needs. Their names begin with that of the file.
func (p *Plan) WriteFile(name string) error {
	b, err := p.appendTo(nil)
	if err != nil {
		return fmt.Errorf("freedom: %w", err)
	}
	for _, a := range p.Acts {
		if err := a.makeDir(name); err != nil {
			return fmt.Errorf("freedom: %w", err)
		}
	}
	return os.WriteFile(name, b, 0o666)
}

// appendTo appends the content of the plan's file to b.
func (p *Plan) appendTo(b []byte) ([]byte, error) {
	var h planFile
	if len(p.Process) >= len(h.Process) {
		return nil, fmt.Errorf("the name of the executable has %d bytes", len(p.Process))
	}
	if n := len(p.Of(Step.Orders)); n > MaxOrders {
		return nil, fmt.Errorf("%d orders", n)
	}
	if i := slices.IndexFunc(p.Acts, func(a Step) bool { return Of(a.Kind.String()).Act() == 0 }); i >= 0 {
		return nil, fmt.Errorf("%v is not a kind of act", p.Acts[i].Kind)
	}
	positions, err := p.positions()
	if err != nil {
		return nil, err
	}
	pins := p.pins()
	settings, err := p.settings()
	if err != nil {
		return nil, err
	}
	size := 0
	for _, part := range []any{h, positions, pins, settings} {
		size += binary.Size(part)
	}
	if size > maxPlan {
		return nil, fmt.Errorf("a plan of %d bytes", size)
	}
	copy(h.Magic[:], planMagic)
	copy(h.Process[:], p.Process)
	h.Size, h.Positions, h.Pins, h.Settings = uint32(size), uint32(len(positions)), uint32(len(pins)), uint32(len(settings))
	for _, part := range []any{h, positions, pins, settings} {
		if b, err = binary.Append(b, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (p *Plan) positions() (all []position, err error) {
	add := func(at Position, kind uint32, index, until int, first bool, dose uint64) {
		r, e := at.record()
		if at.Block == End && kind&planUntil == 0 {
			e = fmt.Errorf("a goroutine can't be held at its end")
		}
		err = cmp.Or(err, e)
		r.Kind, r.First, r.Index, r.Until, r.Dose = kind, uint32(bit(first)), uint32(index), uint32(until), dose
		all = append(all, r)
	}
	for _, is := range []func(Step) bool{Step.Holds, Step.Orders, Step.Collects} {
		list := p.Of(is)
		for i, a := range list {
			until := slices.IndexFunc(list, func(o Step) bool { return o.Until == a.Until })
			add(a.At, uint32(a.Kind), i, until, a.First, limit(a.Dose))
			if a.Orders() && until == i {
				add(a.Until, uint32(a.Kind)|planUntil, i, i, false, 0)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.Who, b.Who), cmp.Compare(a.Event, b.Event))
	})
	return all, err
}

func (at Position) record() (r position, err error) {
	if (at.G.ID == 0) == (at.G.Class == 0) {
		return r, fmt.Errorf("a position needs either a goroutine or a class")
	}
	if at.Block == 0 {
		return r, fmt.Errorf("a position needs a block")
	}
	r = position{Who: uint64(at.G.ID) << 1, Block: at.Block, Hit: at.Hit}
	if at.G.Class != 0 {
		r.Who = at.G.Class<<1 | 1
	}
	switch {
	case at.Block == End:
		r.Event = planAtEnd
	case at.Hit == 0: // counting begins with the first event
		r.Event = at.Event
	}
	return r, nil
}

// pins returns one of each kind and block, the first.
func (p *Plan) pins() (all []pin) {
	for _, x := range p.Of(Step.Chooses) {
		all = append(all, pin{uint32(x.Kind), x.At.Block, x.Seed})
	}
	slices.SortStableFunc(all, func(a, b pin) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Block, b.Block))
	})
	return slices.CompactFunc(all, func(a, b pin) bool { return a.Kind == b.Kind && a.Block == b.Block })
}

// settings returns the settings of the plan that go into its file: all but those with an environment variable.
func (p *Plan) settings() (all []setting, err error) {
	for _, a := range p.Acts {
		if a.What == MapKeys {
			all = append(all, a.keySettings(a.At.Block)...)
		}
		if !a.Sets() {
			continue
		}
		x, of := a.What.known()
		if a.What != 0 && of.Act() != a.Kind {
			return nil, fmt.Errorf("no setting %v is of kind %v", a.What, a.Kind)
		}
		if x.env == nil {
			all = append(all, setting{Kind: uint32(a.Kind), What: uint32(a.What), Block: a.At.Block, Value: a.Value,
				Unit: a.Unit})
		}
	}
	return all, nil
}
