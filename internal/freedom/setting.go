package freedom

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A setting fixes one thing that the system around the program decides: what the clock shows,
// when timers fire. A setting with a zero What only lists where the program asks for that
// ([trace.Trace.Draws]).

// An Aspect is what a setting of a kind fixes. Each kind has the next 16 numbers, which are in plans. Proof files have
// the name of an aspect, which is no other's.
type Aspect uint32

// An aspect is what is known of one. It stands with its kind.
type aspect struct {
	what      Aspect
	name      string
	env       func(a Act, dir string) []string // how the environment carries it; nil if the plan's file does
	dir       string                           // suffix to the plan's file, of a directory that it needs; "" for none
	always    bool                             // it applies though no program asks, as all of the environment does
	opposites func(Act, Guess) []Act           // the other values that tell what it is; nil for none
	asks      trace.ActKind                    // what programs ask for where it matters, if not for its kind
}

// known returns the row of an aspect, and its kind.
func (a Aspect) known() (aspect, Freedom) {
	for _, k := range All() {
		if i := slices.IndexFunc(k.aspects, func(x aspect) bool { return x.what == a }); i >= 0 {
			return k.aspects[i], k
		}
	}
	return aspect{}, Freedom{}
}

// always has the same opposites whatever the value.
func always(acts ...Act) func(Act, Guess) []Act { return func(Act, Guess) []Act { return acts } }

// Opposites returns the other values of what a setting sets that tell whether it is that.
func (a Act) Opposites(g Guess) []Act {
	x, _ := a.What.known()
	if x.opposites == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(x.opposites(a, g)), func(o Act) bool { return o == a })
}

func (a Aspect) String() string {
	if x, _ := a.known(); x.name != "" {
		return x.name
	}
	return fmt.Sprintf("aspect %d", uint32(a))
}

// MarshalText returns the name of a.
func (a Aspect) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText finds the aspect with a name.
func (a *Aspect) UnmarshalText(text []byte) error {
	for _, k := range All() {
		for _, x := range k.aspects {
			if x.name == string(text) {
				*a = x.what
				return nil
			}
		}
	}
	return fmt.Errorf("no setting is called %q", text)
}

// Survey returns settings that change nothing, but make the trace list where programs ask for
// what settings decide.
func Survey() []Act {
	var list []Act
	for _, k := range All() {
		if k.Asked {
			list = append(list, Act{Kind: k.Act()})
		}
	}
	return list
}

// env returns the environment variables for the process, if the plan is in the named file.
func (a Act) env(file string) []string {
	if x, _ := a.What.known(); x.env != nil {
		return x.env(a, file+x.dir)
	}
	return nil
}

// makeDir makes a new directory that a setting needs, beside the named file of the plan.
func (a Act) makeDir(file string) error {
	x, _ := a.What.known()
	if x.dir == "" {
		return nil
	}
	if err := os.RemoveAll(file + x.dir); err != nil {
		return err
	}
	return os.Mkdir(file+x.dir, 0o777)
}

// Always reports whether a setting applies whatever the program does. Others apply only if the
// program asks.
func (a Act) Always() bool {
	x, _ := a.What.known()
	return x.always || x.env != nil
}

// Asks returns the kind of request that a setting answers, 0 for what nobody asks for.
func (a Act) Asks() trace.ActKind {
	if x, _ := a.What.known(); x.asks != 0 {
		return x.asks
	} else if a.Kind == trace.ActLimits && a.Always() {
		return 0
	}
	return a.Kind
}

// A setting is a record of the file.
type setting [planSetting]byte

// settings returns the records of the settings in the file.
func (p *Plan) settings() (all []setting, err error) {
	for _, a := range p.Of(Act.Sets) {
		x, of := a.What.known()
		if a.What != 0 && of.Act() != a.Kind {
			return nil, fmt.Errorf("no setting %v is of kind %v", a.What, a.Kind)
		}
		if x.env != nil {
			continue
		}
		var r setting
		put := binary.LittleEndian
		put.PutUint32(r[:], uint32(a.Kind))
		put.PutUint32(r[4:], uint32(a.What))
		put.PutUint32(r[8:], a.At.Block)
		put.PutUint64(r[16:], uint64(a.Value))
		put.PutUint64(r[24:], uint64(a.Unit))
		all = append(all, r)
	}
	return all, nil
}
