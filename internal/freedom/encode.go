package freedom

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// # The file of a plan
//
// The runtime of the process reads the file that FDEBUG_PERTURB names before anything is
// allocated. Everything in it is little-endian. It begins with 256 bytes:
//
//	 0  8 bytes  magic "fdbplan1"
//	 8  u32      size of the file
//	12  u32      number of positions
//	16  u32      number of pins
//	20  u32      length of the test's name
//	24  36       zero
//	60  u32      number of settings
//	64  192      base name of the executable, ended by a zero
//
// Then come the positions, of 64 bytes each, sorted by the first two words:
//
//	 0  u64  what the goroutine is, times two, plus 1 for a class: the highest bit
//	         of either is lost
//	 8  u64  number of the event
//	16  u32  block, all bits set for the goroutine's end; then the event is 1<<62
//	20  u32  hit
//	24  u32  kind of act (trace.ActKind), plus 256 for the position that those of
//	         an order wait for
//	28  u32  1: only the first goroutine of the class
//	32  u32  number in the plan's list of the kind
//	36  u32  zero
//	40  u64  dose or limit in nanoseconds
//	48  16   zero
//
// then the pins, of 16 bytes each, sorted by the first two:
//
//	0  u32  kind
//	4  u32  block, 0 for all others
//	8  u64  seed
//
// then the settings, of 32 bytes each:
//
//	 0  u32  kind
//	 4  u32  what is set ([Aspect]), 0 for nothing
//	 8  u32  block, 0 for all
//	12  u32  zero
//	16  i64  value
//	24  i64  unit
//
// then the name of the test.
const (
	planMagic    = "fdbplan1"
	planHeader   = 256
	planProcess  = 64 // offset
	planPosition = 64 // size
	planPin      = 16
	planSetting  = 32
	planUntil    = 256
	planAtEnd    = 1 << 62 // number of the event of a goroutine's end

	maxPlan   = 64 << 20
	maxOrders = 1024
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
	if len(p.Process) >= planHeader-planProcess {
		return nil, fmt.Errorf("the name of the executable has %d bytes", len(p.Process))
	}
	if n := len(p.Of(Act.Orders)); n > maxOrders {
		return nil, fmt.Errorf("%d orders", n)
	}
	if i := slices.IndexFunc(p.Acts, func(a Act) bool { return Of(a.Kind.String()).Act() == 0 }); i >= 0 {
		return nil, fmt.Errorf("%v is not a kind of act", p.Acts[i].Kind)
	}
	positions, err := p.positions()
	if err != nil {
		return nil, err
	}
	pins, err := p.pins()
	if err != nil {
		return nil, err
	}
	settings, err := p.settings()
	if err != nil {
		return nil, err
	}
	size := planHeader + len(positions)*planPosition + len(pins)*planPin + len(settings)*planSetting + len(p.Test)
	if size > maxPlan {
		return nil, fmt.Errorf("a plan of %d bytes", size)
	}
	b = p.header(b, size, len(positions), len(pins), len(settings))
	for _, x := range positions {
		b = append(b, x[:]...)
	}
	for _, x := range pins {
		b = append(b, x[:]...)
	}
	for _, x := range settings {
		b = append(b, x[:]...)
	}
	return append(b, p.Test...), nil
}

func (p *Plan) header(b []byte, size, positions, pins, settings int) []byte {
	var h [planHeader]byte
	copy(h[:], planMagic)
	put := binary.LittleEndian
	put.PutUint32(h[8:], uint32(size))
	put.PutUint32(h[12:], uint32(positions))
	put.PutUint32(h[16:], uint32(pins))
	put.PutUint32(h[20:], uint32(len(p.Test)))
	put.PutUint32(h[60:], uint32(settings))
	copy(h[planProcess:], p.Process)
	return append(b, h[:]...)
}

// A position is a record of the file.
type position [planPosition]byte

func (p *Plan) positions() (all []position, err error) {
	add := func(at Position, kind uint32, index int, first bool, dose uint64) {
		r, e := at.record()
		if at.Block == End && kind&planUntil == 0 {
			e = fmt.Errorf("a goroutine can't be held at its end")
		}
		err = cmp.Or(err, e)
		put := binary.LittleEndian
		put.PutUint32(r[24:], kind)
		if first {
			put.PutUint32(r[28:], 1)
		}
		put.PutUint32(r[32:], uint32(index))
		put.PutUint64(r[40:], dose)
		all = append(all, r)
	}
	for _, is := range []func(Act) bool{Act.Holds, Act.Orders, Act.Collects} {
		for i, a := range p.Of(is) {
			add(a.At, uint32(a.Kind), i, a.First, limit(a.Dose))
			if a.Orders() {
				add(a.Until, uint32(a.Kind)|planUntil, i, false, 0)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b position) int {
		word := binary.LittleEndian.Uint64
		return cmp.Or(cmp.Compare(word(a[:]), word(b[:])), cmp.Compare(word(a[8:]), word(b[8:])))
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
	put := binary.LittleEndian
	put.PutUint64(r[:], uint64(at.G.ID)<<1)
	if at.G.Class != 0 {
		put.PutUint64(r[:], at.G.Class<<1|1)
	}
	switch {
	case at.Block == End:
		put.PutUint64(r[8:], planAtEnd)
	case at.Hit == 0: // counting begins with the first event
		put.PutUint64(r[8:], at.Event)
	}
	put.PutUint32(r[16:], at.Block)
	put.PutUint32(r[20:], at.Hit)
	return r, nil
}

// A pin is a record of the file.
type pin [planPin]byte

func (p *Plan) pins() (all []pin, err error) {
	add := func(kind trace.ActKind, block uint32, seed uint64) {
		var r pin
		put := binary.LittleEndian
		put.PutUint32(r[:], uint32(kind))
		put.PutUint32(r[4:], block)
		put.PutUint64(r[8:], seed)
		all = append(all, r)
	}
	for _, x := range p.Of(Act.Chooses) {
		add(x.Kind, x.At.Block, x.Seed)
	}
	key := func(r pin) uint64 {
		return uint64(binary.LittleEndian.Uint32(r[:]))<<32 | uint64(binary.LittleEndian.Uint32(r[4:]))
	}
	slices.SortStableFunc(all, func(a, b pin) int { return cmp.Compare(key(a), key(b)) })
	return slices.CompactFunc(all, func(a, b pin) bool { return bytes.Equal(a[:8], b[:8]) }), nil
}
