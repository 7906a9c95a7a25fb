package perturb

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Setting fixes one thing that the system around the program decides: what the
// clock says, when timers fire. Setting the zero What only lists where that is asked for
// ([trace.Trace.Draws]).
type Setting struct {
	Kind trace.ActKind
	What Aspect `json:",omitempty"`
	// Block is for the goroutines whose last event it is, 0 for all.
	Block uint32 `json:",omitempty"`
	Value int64  `json:",omitempty"`
	Unit  int64  `json:",omitempty"`
	Text  string `json:",omitempty"` // of what is told by the environment
}

// An Aspect is what of a kind is set.
type Aspect uint32

// aspects are the names of aspects, with how the environment tells them, nil for those
// that the file of the plan does, and the directory that this needs.
var aspects = map[Aspect]struct {
	name string
	kind trace.ActKind
	env  func(s Setting, dir string) []string
	dir  string // what the name of the plan's file is followed by, "" for none
}{
	ClockPhase:   {name: "phase", kind: trace.ActClock},
	ClockShift:   {name: "shift", kind: trace.ActClock},
	ClockInstant: {name: "instant", kind: trace.ActClock},
	ClockGrain:   {name: "grain", kind: trace.ActClock},
	ClockDate:    {name: "date", kind: trace.ActClock},
	ClockStill:   {name: "still", kind: trace.ActClock},
	ClockZone:    {name: "zone", kind: trace.ActClock, env: func(s Setting, _ string) []string { return []string{"TZ=" + s.Text} }},
	TimerLate:    {name: "late", kind: trace.ActTimer},
	GCOff:        {name: "off", kind: trace.ActGC, env: func(Setting, string) []string { return []string{"GOGC=off", "GOMEMLIMIT=" + offMemory} }},
	GCOften:      {name: "often", kind: trace.ActGC, env: func(Setting, string) []string { return []string{"GOGC=1"} }},
	ReadMost:     {name: "most", kind: trace.ActRead},
	DirOrder:     {name: "order", kind: trace.ActDir},
	PortTaken:    {name: "taken", kind: trace.ActLimits},
	PortFree:     {name: "free", kind: trace.ActLimits},
	FilesMost:    {name: "files", kind: trace.ActLimits},
	NetworkNone:  {name: "no network", kind: trace.ActLimits},
	TempFresh:    {name: "new TMPDIR", kind: trace.ActLimits, env: func(_ Setting, dir string) []string { return []string{"TMPDIR=" + dir} }, dir: ".tmp"},
	HomeFresh:    {name: "new HOME", kind: trace.ActLimits, env: func(_ Setting, dir string) []string { return homeAt(dir) }, dir: ".home"},
	HomeNone:     {name: "no HOME", kind: trace.ActLimits, env: func(Setting, string) []string { return homeAt(noHome()) }},
	AsItIs:       {name: "as it is", kind: trace.ActLimits},
}

func (a Aspect) String() string {
	if x, ok := aspects[a]; ok {
		return x.name
	}
	return fmt.Sprintf("aspect %d", uint32(a))
}

// MarshalText makes a name of a.
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

// Survey returns settings that change nothing, and have the trace list where programs
// ask for what settings decide.
func Survey() []Setting {
	var list []Setting
	for _, kind := range []trace.ActKind{trace.ActClock, trace.ActTimer, trace.ActRead, trace.ActDir, trace.ActLimits} {
		list = append(list, Setting{Kind: kind})
	}
	return list
}

// Wait returns how long a setting may have the test wait.
func (s Setting) Wait() time.Duration {
	if s.What == ClockPhase {
		return time.Duration(s.Unit)
	}
	return 0
}

// env returns what the environment of the process has to tell, where the plan lies in the
// named file.
func (s Setting) env(file string) []string {
	if x := aspects[s.What]; x.env != nil {
		return x.env(s, file+x.dir)
	}
	return nil
}

// makeDir makes the directory that a setting needs beside the named file of the plan, anew.
func (s Setting) makeDir(file string) error {
	x := aspects[s.What]
	if x.dir == "" {
		return nil
	}
	if err := os.RemoveAll(file + x.dir); err != nil {
		return err
	}
	return os.Mkdir(file+x.dir, 0o777)
}

// Always reports whether a setting is in force whatever the program does: else it has to
// ask for it.
func (s Setting) Always() bool {
	return aspects[s.What].env != nil || s.What == FilesMost || s.What == NetworkNone || s.What == AsItIs
}

// A setting is a record of the file.
type setting [planSetting]byte

// settings returns the records of those settings that the file tells.
func (p *Plan) settings() (all []setting, err error) {
	for _, s := range p.Settings {
		x, known := aspects[s.What]
		if s.What != 0 && (!known || x.kind != s.Kind) {
			return nil, fmt.Errorf("no setting %v is of kind %v", s.What, s.Kind)
		}
		if x.env != nil {
			continue
		}
		var r setting
		put := binary.LittleEndian
		put.PutUint32(r[:], uint32(s.Kind))
		put.PutUint32(r[4:], uint32(s.What))
		put.PutUint32(r[8:], s.Block)
		put.PutUint64(r[16:], uint64(s.Value))
		put.PutUint64(r[24:], uint64(s.Unit))
		all = append(all, r)
	}
	return all, nil
}
