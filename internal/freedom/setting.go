package freedom

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A setting fixes one thing that the system around the program decides: what the clock shows, when timers fire. A
// setting with a zero What only lists where the program asks for that ([trace.Trace.Draws]).

// An Aspect is what a setting of a kind fixes. Each kind has the next 16 numbers, which are in plans. Proof files have
// the name of an aspect, which is no other's.
type Aspect uint32

// An aspect is what is known of one. It stands with its kind.
type aspect struct {
	what      Aspect
	name      string
	env       func(a Step, dir string) []string // how the environment carries it; nil if the plan's file does
	dir       string                            // suffix to the plan's file, of a directory that it needs; "" for none
	always    bool                              // it applies though no program asks, as all of the environment does
	opposites func(Step, Bench) []Step          // the other values that tell what it is; nil for none
	byBlock   bool                              // what is set for all blocks can be set for each
	category  string                            // of flakes whose outcome it decides, if not that of its freedom
	says      say.Setting                       // where it decides; none of a control
	asks      trace.ActKind                     // what programs ask for where it matters, if not for its kind
}

// known returns the row of an aspect, and its kind.
func (a Aspect) known() (aspect, *Freedom) {
	for _, k := range all {
		if i := slices.IndexFunc(k.aspects, func(x aspect) bool { return x.what == a }); i >= 0 {
			return k.aspects[i], k
		}
	}
	return aspect{}, &Freedom{}
}

// always has the same opposites whatever the value.
func always(acts ...Step) func(Step, Bench) []Step { return func(Step, Bench) []Step { return acts } }

// settingVerbs are those of what is set in the system around the program.
var settingVerbs = Verbs{Parts: setParts, Opposites: setOpposites, Elsewhere: setElsewhere}

// setOpposites are the other values that show that this one decides.
func setOpposites(a Act[Site], b Bench) (list [][]Act[Site]) {
	x, _ := a.What.known()
	if x.opposites == nil {
		return nil
	}
	own := Map(a, Site.Position)
	for _, o := range x.opposites(own, b) {
		if o != own {
			list = append(list, Lift(o))
		}
	}
	return list
}

// setElsewhere is the same in another block that asks for such a thing.
func setElsewhere(a Act[Site], b Bench) (list []Act[Site]) {
	if a.At.Block == 0 {
		return nil
	}
	for _, block := range b.Askers(a.Kind) {
		if int(block) != a.At.Block {
			list = append(list, a.Moved(Site{Block: int(block)}))
		}
	}
	return list
}

// heldAfter holds a goroutine that waits for a timer, or the network, when it goes on.
func heldAfter(_ Act[Site], b Bench) (list []Act[Site]) {
	for _, site := range b.Waits(true) {
		list = append(list, Hold(site, usualDose))
	}
	return list
}

// setParts are the blocks for which something is set that is set for all.
func setParts(a Act[Site], asked []trace.Draw, b Bench) (list []Act[Site]) {
	if x, _ := a.What.known(); !x.byBlock || !a.Everywhere() {
		return nil
	}
	for _, d := range asked {
		part := a.Moved(Site{Block: int(d.Block)})
		if d.Kind == a.Kind && b.Blocks().Has(int(d.Block)) && !slices.Contains(list, part) {
			list = append(list, part)
		}
	}
	return list
}

// Says returns the words for an act that decides.
func (a Act[P]) Says() say.Setting {
	if a.Collects() {
		return collecting
	}
	x, _ := a.What.known()
	return x.says
}

// Choice returns the words for a choice that decides.
func (a Act[P]) Choice() say.Choice { return byKind[a.Kind].Choice }

// Category returns that of flakes whose outcome an act decides, "" if it decides none by itself.
func (a Act[P]) Category() string {
	x, _ := a.What.known()
	return cmp.Or(x.category, byKind[a.Kind].Category)
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
	for _, k := range all {
		for _, x := range k.aspects {
			if x.name == string(text) {
				*a = x.what
				return nil
			}
		}
	}
	return fmt.Errorf("no setting is called %q", text)
}

// Survey returns settings that change nothing, but make the trace list where programs ask for what settings decide.
func Survey() []Step {
	var list []Step
	for _, k := range all {
		if k.Asked {
			list = append(list, Step{Kind: k.Act()})
		}
	}
	return list
}

// env returns the environment variables for the process, if the plan is in the named file.
func envOf(a Step, file string) []string {
	if x, _ := a.What.known(); x.env != nil {
		return x.env(a, file+x.dir)
	}
	return nil
}

// makeDir makes a new directory that a setting needs, beside the named file of the plan.
func (a Act[P]) makeDir(file string) error {
	x, _ := a.What.known()
	if x.dir == "" {
		return nil
	}
	if err := os.RemoveAll(file + x.dir); err != nil {
		return err
	}
	return os.Mkdir(file+x.dir, 0o777)
}

// Always reports whether a setting applies whatever the program does. Others apply only if the program asks.
func (a Act[P]) Always() bool {
	x, _ := a.What.known()
	return x.always || x.env != nil
}

// Asks returns the kind of request that a setting answers, 0 for what nobody asks for.
func (a Act[P]) Asks() trace.ActKind {
	if x, _ := a.What.known(); x.asks != 0 {
		return x.asks
	} else if a.Kind == trace.ActLimits && a.Always() {
		return 0
	}
	return a.Kind
}
