package perturb

import (
	"encoding/binary"
	"fmt"
	"os"

	"github.com/fdebug/fdebug/trace"
)

// A setting fixes one thing that the system around the program decides: what the clock shows,
// when timers fire. A setting with a zero What only lists where the program asks for that
// ([trace.Trace.Draws]).

// An Aspect is what a setting of a kind fixes.
type Aspect uint32

// aspects has the names of aspects, how the environment carries them (nil for those in the plan's
// file), and the directory that they need.
var aspects = map[Aspect]struct {
	name string
	kind trace.ActKind
	env  func(a Act, dir string) []string
	dir  string // suffix to the name of the plan's file; "" for none
}{
	ClockPhase:   {name: "phase", kind: trace.ActClock},
	ClockShift:   {name: "shift", kind: trace.ActClock},
	ClockInstant: {name: "instant", kind: trace.ActClock},
	ClockGrain:   {name: "grain", kind: trace.ActClock},
	ClockDate:    {name: "date", kind: trace.ActClock},
	ClockStill:   {name: "still", kind: trace.ActClock},
	ClockZone:    {name: "zone", kind: trace.ActClock, env: func(a Act, _ string) []string { return []string{"TZ=" + a.Text} }},
	TimerLate:    {name: "late", kind: trace.ActTimer},
	GCOff:        {name: "off", kind: trace.ActGC, env: func(Act, string) []string { return []string{"GOGC=off", "GOMEMLIMIT=" + offMemory} }},
	GCOften:      {name: "often", kind: trace.ActGC, env: func(Act, string) []string { return []string{"GOGC=1"} }},
	ReadMost:     {name: "most", kind: trace.ActRead},
	DirOrder:     {name: "order", kind: trace.ActDir},
	PortTaken:    {name: "taken", kind: trace.ActLimits},
	PortFree:     {name: "free", kind: trace.ActLimits},
	FilesMost:    {name: "files", kind: trace.ActLimits},
	NetworkNone:  {name: "no network", kind: trace.ActLimits},
	TempFresh:    {name: "new TMPDIR", kind: trace.ActLimits, env: func(_ Act, dir string) []string { return []string{"TMPDIR=" + dir} }, dir: ".tmp"},
	HomeFresh:    {name: "new HOME", kind: trace.ActLimits, env: func(_ Act, dir string) []string { return homeAt(dir) }, dir: ".home"},
	HomeNone:     {name: "no HOME", kind: trace.ActLimits, env: func(Act, string) []string { return homeAt(noHome()) }},
	AsItIs:       {name: "as it is", kind: trace.ActLimits},
	QuotaMost:    {name: "quota", kind: trace.ActLimits, env: outside},
	Busy:         {name: "busy", kind: trace.ActLimits, env: outside},
}

// outside is the environment for what the process itself has no part in.
func outside(Act, string) []string { return nil }

func (a Aspect) String() string {
	if x, ok := aspects[a]; ok {
		return x.name
	}
	return fmt.Sprintf("aspect %d", uint32(a))
}

// MarshalText returns the name of a.
func (a Aspect) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText finds the aspect with a name.
func (a *Aspect) UnmarshalText(text []byte) error {
	for x, is := range aspects {
		if is.name == string(text) {
			*a = x
			return nil
		}
	}
	return fmt.Errorf("no setting is called %q", text)
}

// Survey returns settings that change nothing, but make the trace list where programs ask for
// what settings decide.
func Survey() []Act {
	var list []Act
	for _, kind := range []trace.ActKind{trace.ActClock, trace.ActTimer, trace.ActRead, trace.ActDir, trace.ActLimits} {
		list = append(list, Act{Kind: kind})
	}
	return list
}

// env returns the environment variables for the process, if the plan is in the named file.
func (a Act) env(file string) []string {
	if x := aspects[a.What]; x.env != nil {
		return x.env(a, file+x.dir)
	}
	return nil
}

// makeDir makes a new directory that a setting needs, beside the named file of the plan.
func (a Act) makeDir(file string) error {
	x := aspects[a.What]
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
	return aspects[a.What].env != nil || a.What == FilesMost || a.What == NetworkNone || a.What == AsItIs
}

// A setting is a record of the file.
type setting [planSetting]byte

// settings returns the records of the settings in the file.
func (p *Plan) settings() (all []setting, err error) {
	for _, a := range p.Of(Act.Sets) {
		x, known := aspects[a.What]
		if a.What != 0 && (!known || x.kind != a.Kind) {
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
